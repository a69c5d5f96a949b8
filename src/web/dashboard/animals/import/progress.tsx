/** How far the import has got, as the stream of events tells. */

import { Progress } from '@mantine/core'
import { useEffect, useState } from 'react'
import { subscribeImports, type ImportProgress as Told } from '../../live/stream.ts'
import { formatNumber } from '../../ui/format.ts'

export function ImportProgress({ text }: { readonly text: string }) {
  const [told, setTold] = useState<Told>()
  useEffect(() => subscribeImports(setTold), [])
  const part = told === undefined || told.total === 0 ? undefined : told.done / told.total
  return (
    <div className="import-progress" role="status">
      <p>
        {text}
        {told !== undefined && ` ${formatNumber(told.done)} of ${formatNumber(told.total)}`}
      </p>
      <Progress value={(part ?? 1) * 100} animated={part === undefined} aria-label={text} />
    </div>
  )
}
