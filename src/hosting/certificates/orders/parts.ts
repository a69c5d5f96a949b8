/** Shared by the steps of an order: the parts that they use, waiting, and saving. */

import type { Writer } from '../../../database/writer.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AcmeClient, Signer } from '../acme/client.ts'
import type { AcmeProblem } from '../acme/problem.ts'
import type { KeyFiles } from '../files/key-files.ts'
import type { CertificateStore, OrderRow } from '../store.ts'

export interface AccountSigner extends Signer {
  /** The id of its row. */
  readonly id: number
  readonly accountUrl: string
}

export interface OrderParts {
  readonly client: AcmeClient
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly files: KeyFiles
  readonly clock: Clock
}

/** An order on its way: `row` is its state as it was last saved. */
export interface RunningOrder extends OrderParts {
  row: OrderRow
  readonly signer: AccountSigner
  /** Aborted when the service stops or the order is cancelled. */
  readonly signal: AbortSignal
}

/** The authority has ended the order, for the reason in `problem`. */
export class OrderEnded extends Error {
  override readonly name = 'OrderEnded'
  readonly problem: AcmeProblem

  constructor(problem: AcmeProblem) {
    super(problem.message, { cause: problem })
    this.problem = problem
  }
}

/** Saves a step; resolves when it is on disk. A cancelled order is not changed any more. */
export async function save(order: RunningOrder, values: Partial<OrderRow>): Promise<void> {
  await order.writer.write(() => {
    order.signal.throwIfAborted()
    order.store.changeOrder(order.row.id, values)
  })
  order.row = { ...order.row, ...values }
}

/** Throws the reason of the signal as soon as that is aborted. */
export function wait(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    signal.addEventListener('abort', abort, { once: true })
  })
}
