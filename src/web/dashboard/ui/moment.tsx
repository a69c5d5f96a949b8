/** A time of the API: relative where that is quicker to read, exact on hover and for assistive technology. */

import { useEffect, useState } from 'react'
import { formatExactMoment, formatMoment, formatRelative } from './format.ts'

const refreshMs = 30_000

export function Moment({ time, isRelative = false }: { readonly time: string; readonly isRelative?: boolean }) {
  const [, setTick] = useState(0)
  useEffect(() => {
    if (!isRelative) return
    const timer = setInterval(() => setTick((tick) => tick + 1), refreshMs)
    return () => clearInterval(timer)
  }, [isRelative])
  return (
    <time dateTime={time} title={formatExactMoment(time)}>
      {isRelative ? formatRelative(time) : formatMoment(time)}
    </time>
  )
}
