/**
 * The button for the next step of an order. Approving and delivering have the same place, one after the other, and a
 * delivered order stays delivered: so delivering asks first.
 */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { Confirm } from '../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../ui/feedback/notices.ts'
import { isolated } from '../ui/format.ts'
import { nextSteps, type Order, type Step, stepsDone, takeStep } from './queries.ts'

/** Takes a step and says so. */
export async function finishStep({ id }: Order, step: Step): Promise<void> {
  await takeStep(id, step)
  showDone(`Order ${id} ${stepsDone[step]}.`, { subject: `order ${id}` })
}

/** The name of its animal, for a place in a sentence. */
export const animalOf = ({ petName }: Order): string => isolated(petName)

interface NextStepProps {
  readonly order: Order
  /** In a table: the verb alone, in a small button. */
  readonly isShort?: boolean
}

export function NextStep({ order, isShort = false }: NextStepProps) {
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const next = nextSteps[order.status]

  async function approve(): Promise<void> {
    setBusy(true)
    try {
      await finishStep(order, 'approve')
    } catch (error) {
      showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  const [verb = ''] = next?.label.split(' ') ?? []
  return (
    <>
      {next !== undefined && (
        <Button
          {...(isShort ? { size: 'xs', variant: 'default', 'aria-label': `${verb} order ${order.id}` } : {})}
          loading={isBusy}
          onClick={() => (next.step === 'deliver' ? setAsking(true) : void approve())}
        >
          {isShort ? verb : next.label}
        </Button>
      )}
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Deliver order ${order.id}?`}
        action="Deliver order"
        cancel="Not yet"
        isHarmless
        onConfirm={() => finishStep(order, 'deliver')}
      >
        {animalOf(order)} is then sold. A delivered order cannot be changed any more.
      </Confirm>
    </>
  )
}
