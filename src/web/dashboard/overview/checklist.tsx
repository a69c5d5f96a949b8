/** The first steps with a new store. They disappear when they are done or dismissed. */

import { Button } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { countOf } from '../ui/format.ts'
import { Section } from '../ui/page.tsx'
import type { FirstSteps, Overview } from './queries.ts'

const memory = 'petstore-first-steps'

interface Step {
  readonly label: string
  readonly text: string
  readonly href: string
  readonly isDone: boolean
  /** Stands below a step that is done. */
  readonly done?: string
}

interface ChecklistProps {
  readonly overview: Overview
  /** Undefined if they could not be loaded. */
  readonly steps: FirstSteps | undefined
}

export function Checklist({ overview: { animals }, steps: data }: ChecklistProps) {
  const [isDismissed, setDismissed] = useState(wasDismissed)
  if (data === undefined || isDismissed) return null
  const count = animals.available + animals.pending + animals.sold
  const steps: readonly Step[] = [
    {
      label: 'Import your animals',
      text: 'From a spreadsheet or another program.',
      href: '/animals/import',
      isDone: count > 0,
      ...(data.hasImport ? {} : { done: `${countOf(count, 'animal')} ${count === 1 ? 'is' : 'are'} here already` }),
    },
    {
      label: 'Create a key',
      text: 'For your website, a partner or a script.',
      href: '/keys?create=1',
      isDone: data.hasKey,
    },
    {
      label: 'Publish a website',
      text: 'Drop a folder, and it is online.',
      href: '/projects',
      isDone: data.hasSite,
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const doneSteps = steps.filter(({ isDone }) => isDone).length

  function dismiss(): void {
    setDismissed(true)
    try {
      localStorage.setItem(memory, 'dismissed')
    } catch {
      // A private window: the steps are back at the next visit.
    }
  }

  return (
    <Section
      title="First steps"
      lead={`${doneSteps} of ${steps.length} done`}
      actions={
        <Button size="xs" variant="default" onClick={dismiss}>
          Hide first steps
        </Button>
      }
    >
      <ol className="steps">
        {steps.map(({ label, text, href, isDone, done = 'Done' }) => (
          <li key={href} className="step" data-done={isDone || undefined}>
            {isDone ? (
              <IconCircleCheckFilled size={24} aria-hidden="true" />
            ) : (
              <IconCircle size={24} aria-hidden="true" />
            )}
            <div>
              {isDone ? <span className="step-label">{label}</span> : <Link href={href}>{label}</Link>}
              <div className="quiet">{isDone ? done : text}</div>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(memory) !== null
  } catch {
    return false
  }
}
