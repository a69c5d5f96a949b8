/** The steps from records to a live domain. */

import { IconAlertCircle, IconCircle, IconCircleCheckFilled, IconLoader2 } from '@tabler/icons-react'
import type { Domain } from '../queries.ts'
import { type StepState, stepsOf } from '../words.ts'

const words: Readonly<Record<StepState, string>> = {
  done: 'done',
  now: 'in progress',
  wrong: 'needs a fix',
  changed: 'needs a fix',
  later: 'later',
}
const icons = {
  done: IconCircleCheckFilled,
  now: IconLoader2,
  wrong: IconAlertCircle,
  changed: IconAlertCircle,
  later: IconCircle,
}

export function Steps({ domain }: { readonly domain: Domain }) {
  return (
    <ol className="domain-steps" aria-label="Steps until the domain is live">
      {stepsOf(domain).map(({ label, state }) => {
        const Icon = icons[state]
        return (
          <li key={label} data-state={state}>
            <Icon size={22} aria-hidden="true" />
            <span>
              {label}
              <span className="quiet domain-step-word">{words[state]}</span>
            </span>
          </li>
        )
      })}
    </ol>
  )
}
