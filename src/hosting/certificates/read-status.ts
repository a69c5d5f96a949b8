/** Reads the state of certificates from the tables, also for commands, which know no running orders. */

import type { Finding } from '../../dns/report.ts'
import type { Clock } from '../../lib/clock.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { hostOf } from './acme/transport.ts'
import { certificateFindings } from './findings.ts'
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
  /** `accountId`: the account that has the name now. A certificate of a former one counts for nothing. */
  return (hostname: string, accountId?: number): CertificateStatus => {
    const row = rowOf(store, hostname, accountId)
    return statusOf({
      row,
      order: row && store.openOrder(hostname),
      limit: row && limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      waitingBefore: row?.file === null ? waitingBefore(hostname) : 0,
    })
  }
}

function rowOf(store: CertificateStore, hostname: string, accountId: number | undefined) {
  const row = store.find(hostname)
  return accountId === undefined || row?.accountId === accountId ? row : undefined
}

/** `clockWrongByMs`: by how much this machine's clock is ahead of the authority's, as far as that was measured. */
export function createFindingsReader(
  { store, acmeDirectory, clock }: StatusParts,
  clockWrongByMs: () => number | undefined = () => undefined,
) {
  /** The findings about a name's certificate; empty for a name that is not wanted. */
  return (hostname: string, accountId?: number): Finding[] => {
    const row = rowOf(store, hostname, accountId)
    if (!row || row.removedAt !== null) return []
    return certificateFindings({
      row,
      limit: limitFor(store.limits(acmeDirectory), hostname),
      nowMs: clock.now(),
      clockWrongByMs: clockWrongByMs(),
      authority: hostOf(acmeDirectory),
    })
  }
}
