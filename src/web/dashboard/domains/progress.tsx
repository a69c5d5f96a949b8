/** How far a domain has got: the steps until it is live, and the times of its checks. */

import { IconAlertCircle, IconCircle, IconCircleCheckFilled, IconLoader2 } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { formatRelative } from '../ui/format.ts'
import type { Domain } from './queries.ts'
import { type StepState, stepsOf } from './words.ts'

const states: Readonly<Record<StepState, readonly [words: string, icon: typeof IconCircle]>> = {
  done: ['done', IconCircleCheckFilled],
  now: ['in progress', IconLoader2],
  wrong: ['needs a fix', IconAlertCircle],
  changed: ['needs a fix', IconAlertCircle],
  later: ['later', IconCircle],
}

/** The steps from records to a live domain. */
export function Steps({ domain }: { readonly domain: Domain }) {
  return (
    <ol className="domain-steps" aria-label="Steps until the domain is live">
      {stepsOf(domain).map(({ label, state }) => {
        const [words, Icon] = states[state]
        return (
          <li key={label} data-state={state}>
            <Icon size={22} aria-hidden="true" />
            <span>
              {label}
              <span className="quiet domain-step-word">{words}</span>
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** When a domain was checked, and when it will be: "Checked 12 seconds ago. Next check in 48 seconds." */
export function CheckTimes({ dns: { checkedAt, nextCheckAt } }: { readonly dns: Domain['dns'] }) {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const isDue = nextCheckAt !== null && Date.parse(nextCheckAt) - nowMs < 1_000
  return (
    <span className="quiet">
      {checkedAt === null ? 'Not checked yet.' : `Checked ${formatRelative(checkedAt, nowMs, true)}.`}{' '}
      {nextCheckAt !== null &&
        (isDue ? 'The next check is running.' : `Next check ${formatRelative(nextCheckAt, nowMs, true)}.`)}
    </span>
  )
}
