/**
 * One check of a claim, from its DNS to the stored result. Every check takes this way, also those that nobody requests.
 */

import type { Clock } from '../../../lib/clock.ts'
import { type ExamineParts, examine } from './examine.ts'
import { type ExaminedHolder, type Outcome, type SettleStores, settle } from './settle.ts'

export interface CheckParts extends ExamineParts, SettleStores {
  readonly clock: Pick<Clock, 'now'>
  /** Runs `work` in a durable transaction, possibly again after a rollback. */
  readonly write: <T>(work: () => T) => Promise<T>
}

/** A check that other requests can join until its result is stored. */
export interface JoinableCheck {
  /** Whether somebody requests it: a claim that is not proven is then checked for another 48 hours. */
  readonly isRequested: boolean
  /** From here on no request can join it. */
  close(): void
}

/**
 * Examines the DNS of a domain, and that of the present holder if the claim is proven, and stores the result in one
 * transaction. Nothing is stored once `signal` is aborted, nor of a domain that was removed: `gone`.
 */
export async function checkClaim(
  parts: CheckParts,
  id: number,
  signal: AbortSignal,
  check: JoinableCheck,
): Promise<Outcome> {
  const claim = parts.domains.findClaim(id)
  if (!claim) return 'gone'
  const examination = await examine(parts, claim, signal)
  const isContested = examination?.verdict.kind === 'proven' && !claim.holdsName
  const holder = isContested ? await examineHolder(parts, claim.hostname, signal) : undefined
  if (!examination || signal.aborted) return 'gone'
  return await parts.write(() => {
    check.close()
    return settle(parts, id, examination, holder, parts.clock.now(), check.isRequested)
  })
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
 * The id of the holder of a name whose check has just failed, so that others may claim it; undefined if nobody holds
 * it. Resolves to `taken` if the holder's records are right or can't be checked.
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
