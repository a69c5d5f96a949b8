/** The animals that a bulk action left as they are, and why. */

import { Button, Modal } from '@mantine/core'
import { Link } from 'wouter'
import { countOf, isolated } from '../ui/format.ts'
import type { BatchResult } from './bulk-change.ts'

const mostShown = 50

/** An animal that was not changed. */
export interface Held extends BatchResult {
  /** Undefined if it is not in the list any more. */
  readonly name: string | undefined
}

interface HeldDialogProps {
  readonly results: readonly Held[]
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
        {results.slice(0, mostShown).map((one) => {
          const { id, message } = one
          const order = orderIn(message)
          return (
            <li key={id}>
              <span>{wordsOf(one)}</span>
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

/** The message of the server, with the name of the animal instead of its number. */
function wordsOf({ id, name, message }: Held): string {
  const shown = name === undefined ? `animal ${id}` : isolated(name)
  return message?.replace(`reserves animal ${id}`, () => `reserves ${shown}`) ?? `Animal ${id} was not changed.`
}

/** The number of the order that the message names. */
function orderIn(message: string | null): string | undefined {
  return /\border (\d+)/i.exec(message ?? '')?.[1]
}
