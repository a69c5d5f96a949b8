/** The animals that a bulk action left as they are, and why. */

import { Button, Modal } from '@mantine/core'
import { Link } from 'wouter'
import { countOf } from '../../ui/format.ts'
import type { BatchResult } from './change-animals.ts'

const mostShown = 50

interface HeldDialogProps {
  readonly results: readonly BatchResult[]
  readonly onClose: () => void
}

export function HeldDialog({ results, onClose }: HeldDialogProps) {
  const held = results.filter(({ code }) => code === 'conflict').length
  return (
    <Modal
      opened={results.length > 0}
      onClose={onClose}
      title={
        held === results.length
          ? `${countOf(held, 'animal')} held by orders`
          : `${countOf(results.length, 'animal')} left as they are`
      }
    >
      <p className="held-lead">
        They are still selected. An animal that an order holds is sold by delivering the order.
      </p>
      <ul className="held-list">
        {results.slice(0, mostShown).map(({ id, message }) => {
          const order = orderIn(message)
          return (
            <li key={id}>
              <span>{message ?? `Animal ${id} was not changed.`}</span>
              {order !== undefined && (
                <Button component={Link} href={`/orders/${order}`} size="xs" variant="default">
                  Open order {order}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {results.length > mostShown && <p>And {countOf(results.length - mostShown, 'animal')} more.</p>}
    </Modal>
  )
}

/** The number of the order that the message names. */
function orderIn(message: string | null): string | undefined {
  return /\border (\d+)/i.exec(message ?? '')?.[1]
}
