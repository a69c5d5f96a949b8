/** Reads the state of certificates from the tables, for commands and everybody else without the running orders. */

import type { Clock } from '../lib/clock.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { limitFor } from './limits.ts'
import { statusOf } from './status.ts'
import type { CertificateStore } from './store.ts'

export interface StatusParts {
  readonly store: CertificateStore
  readonly acmeDirectory: string
  readonly clock: Pick<Clock, 'now'>
  /** How many names wait for an order before this one. */
  readonly waitingBefore?: (hostname: string) => number
}

export function createStatusReader({ store, acmeDirectory, clock, waitingBefore = () => 0 }: StatusParts) {
  return (hostname: string): CertificateStatus => {
    const row = store.find(hostname)
    return statusOf({
      row,
      order: row && store.openOrder(hostname),
      limit: row && limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      waitingBefore: row?.file === null ? waitingBefore(hostname) : 0,
    })
  }
}
