/**
 * The button for the next step of an order. Approving and delivering have the same place, one after the other, and a
 * delivered order stays delivered: so delivering asks first.
 */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { ChangeButton } from '../ui/change.tsx'
import { Confirm } from '../ui/form.tsx'
import { animalOf, nextSteps, type Order, takeStep } from './queries.ts'

interface NextStepProps {
  readonly order: Order
  /** In a table: the verb alone, in a small button. */
  readonly isShort?: boolean
}

export function NextStep({ order, isShort = false }: NextStepProps) {
  const [isAsking, setAsking] = useState(false)
  const next = nextSteps[order.status]
  const [verb = ''] = next?.label.split(' ') ?? []
  const button = isShort
    ? { size: 'xs', variant: 'default', 'aria-label': `${verb} order ${order.id}`, children: verb }
    : { variant: 'filled', children: next?.label }
  return (
    <>
      {next?.step === 'approve' && <ChangeButton change={() => takeStep(order, 'approve')} {...button} />}
      {next?.step === 'deliver' && <Button onClick={() => setAsking(true)} {...button} />}
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Deliver order ${order.id}?`}
        action="Deliver order"
        cancel="Not yet"
        isHarmless
        onConfirm={() => takeStep(order, 'deliver')}
      >
        {animalOf(order)} is then sold. A delivered order cannot be changed any more.
      </Confirm>
    </>
  )
}
