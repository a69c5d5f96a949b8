/** When a domain was checked, and when it will be: "Checked 12 seconds ago. Next check in 48 seconds." */

import { useEffect, useState } from 'react'
import type { Domain } from '../queries.ts'

const second = 1_000
const units = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** Like `formatRelative`, but with seconds. */
function relative(time: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(time) - nowMs) / second)
  if (Math.abs(seconds) < 60) return units.format(seconds, 'second')
  const minutes = Math.round(seconds / 60)
  if (Math.abs(minutes) < 60) return units.format(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return Math.abs(hours) < 48 ? units.format(hours, 'hour') : units.format(Math.round(hours / 24), 'day')
}

export function CheckTimes({ dns: { checkedAt, nextCheckAt } }: { readonly dns: Domain['dns'] }) {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), second)
    return () => clearInterval(timer)
  }, [])
  const isDue = nextCheckAt !== null && Date.parse(nextCheckAt) - nowMs < second
  const isJustNow = checkedAt !== null && nowMs - Date.parse(checkedAt) < second
  return (
    <span className="quiet">
      {checkedAt === null
        ? 'Not checked yet.'
        : isJustNow
          ? 'Checked just now.'
          : `Checked ${relative(checkedAt, nowMs)}.`}{' '}
      {nextCheckAt !== null && (isDue ? 'The next check is running.' : `Next check ${relative(nextCheckAt, nowMs)}.`)}
    </span>
  )
}
