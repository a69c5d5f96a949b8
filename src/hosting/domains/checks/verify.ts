/** Verifies a domain for an account that requests it: waits for the check, and then tries its certificate again. */

import type { Clock } from '../../../lib/clock.ts'
import { hostingIsOff } from '../claim.ts'
import type { DomainStore, DomainSummary } from '../store.ts'
import type { Outcome } from './settle.ts'

/**
 * The longest time for which a request waits for a check, in milliseconds; connections that are idle longer are closed.
 */
const requestWaitMs = 25_000

/**
 * Checks a domain for an account that requests it; the result is in the row of the domain afterwards. `running`: 25
 * seconds have passed, and the check goes on. Throws `conflict` while hosting is off, and `rate_limit_exceeded`.
 */
export async function verifyDomain(
  parts: {
    readonly domains: Pick<DomainStore, 'findById'>
    readonly clock: Pick<Clock, 'after'>
    /** Undefined while hosting is off. */
    readonly checks: { check(id: number, accountId: number): Promise<Outcome> } | undefined
    /** The certificate of a proven name is tried again; `findings` has the codes of those of the check. */
    readonly retryCertificate?: ((hostname: string, findings: readonly string[]) => Promise<void>) | undefined
  },
  { id, hostname }: Pick<DomainSummary, 'id' | 'hostname'>,
  accountId: number,
): Promise<Outcome | 'running'> {
  const { domains, clock, checks, retryCertificate } = parts
  if (!checks) throw hostingIsOff()
  const check = checks.check(id, accountId)
  const timeout = Promise.withResolvers<'running'>()
  const cancel = clock.after(requestWaitMs, () => timeout.resolve('running'))
  const outcome = await Promise.race([check, timeout.promise]).finally(cancel)
  // Before the response, which shows that the certificate is tried again.
  if (outcome === 'proven') {
    const { findings = [] } = domains.findById(id) ?? {}
    await retryCertificate?.(
      hostname,
      findings.map(({ code }) => code),
    )
  }
  return outcome
}
