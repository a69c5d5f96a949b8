/**
 * Verifies a domain, from the request to the stored result: the check waits for its turn, DNS is examined, the result is
 * stored in one transaction. Every check takes this way, also those that nobody requests.
 */

import type { Clock } from '../../../lib/clock.ts'
import { hostingIsOff } from '../claim.ts'
import type { DomainStore, DomainSummary } from '../store.ts'
import { type ExamineParts, examine } from './examine.ts'
import { type ExaminedHolder, type Outcome, type SettleStores, settle } from './settle.ts'

/** The longest time for which a request waits for a check, in milliseconds; connections that are idle longer are closed. */
const requestWaitMs = 25_000

export interface VerifyParts {
  readonly domains: Pick<DomainStore, 'findById'>
  readonly clock: Pick<Clock, 'after'>
  /** Undefined while hosting is off. */
  readonly checks: { check(id: number, accountId: number): Promise<Outcome> } | undefined
  /** The certificate of a proven name is tried again; `findings` has the codes of those of the check. */
  readonly retryCertificate?: ((hostname: string, findings: readonly string[]) => Promise<void>) | undefined
}

/**
 * Checks a domain for an account that requests it; the result is in the row of the domain afterwards. `running`: 25 seconds
 * have passed, and the check goes on. Throws `conflict` while hosting is off, and `rate_limit_exceeded`.
 */
export async function verifyDomain(
  { domains, clock, checks, retryCertificate }: VerifyParts,
  { id, hostname }: Pick<DomainSummary, 'id' | 'hostname'>,
  accountId: number,
): Promise<Outcome | 'running'> {
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

export interface CheckParts extends ExamineParts, SettleStores {
  readonly clock: Pick<Clock, 'now'>
  /** Runs `work` in a durable transaction, possibly again after a rollback. */
  readonly write: <T>(work: () => T) => Promise<T>
}

/**
 * Examines the DNS of a domain, and that of the present holder if the claim is proven, and stores the result. `isRequested`
 * is called when it is stored. Nothing is stored once `signal` is aborted, nor of a domain that was removed: `gone`.
 */
export async function checkClaim(
  parts: CheckParts,
  id: number,
  signal: AbortSignal,
  isRequested: () => boolean,
): Promise<Outcome> {
  const claim = parts.domains.findClaim(id)
  if (!claim) return 'gone'
  const examination = await examine(parts, claim, signal)
  const isContested = examination?.verdict.kind === 'proven' && !claim.holdsName
  const holder = isContested ? await examineHolder(parts, claim.hostname, signal) : undefined
  if (!examination || signal.aborted) return 'gone'
  return await parts.write(() => settle(parts, id, examination, holder, parts.clock.now(), isRequested()))
}

/** Checks the holder of a name at once; undefined if nobody holds it. */
async function examineHolder(
  parts: ExamineParts,
  hostname: string,
  signal: AbortSignal,
): Promise<ExaminedHolder | undefined> {
  const id = parts.domains.holderOf(hostname)?.id
  const claim = id === undefined ? undefined : parts.domains.findClaim(id)
  return claim && { id: claim.id, examination: await examine(parts, claim, signal) }
}

/**
 * The id of the holder of a name whose check has just failed, so that others may claim it; undefined if nobody holds it.
 * Resolves to `taken` if the holder's records are right or can't be checked.
 */
export async function yieldingHolder(
  parts: CheckParts,
  hostname: string,
  signal: AbortSignal,
): Promise<number | undefined | 'taken'> {
  const holder = await examineHolder(parts, hostname, signal)
  if (!holder) return undefined
  const { id, examination } = holder
  if (examination) await parts.write(() => settle(parts, id, examination, undefined, parts.clock.now()))
  return examination?.verdict.kind === 'failed' ? id : 'taken'
}
