/** The columns of which nothing is imported. */

import { formatNumber } from '../../../ui/format.ts'

const shownColumns = 10

export function Unused({ columns: unused }: { readonly columns: readonly string[] }) {
  if (unused.length === 0) return null
  const more = unused.length - shownColumns
  return (
    <>
      Not used: {unused.slice(0, shownColumns).join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}.
    </>
  )
}
