/** The columns of which nothing is imported. */

import { formatNumber } from '../../../ui/format.ts'
import { type Mapping, type Table, unusedColumns } from '../read-file.ts'

const shownColumns = 10

interface UnusedProps {
  readonly table: Table | undefined
  readonly mapping: Mapping
}

export function Unused({ table, mapping }: UnusedProps) {
  const unused = table === undefined ? [] : unusedColumns(table, mapping)
  if (unused.length === 0) return null
  const more = unused.length - shownColumns
  return (
    <>
      Not used: {unused.slice(0, shownColumns).join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}.
    </>
  )
}
