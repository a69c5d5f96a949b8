/** Checks a domain: examines its DNS, and that of the present holder if the claim is proven, and stores the result. */

import type { Clock } from '../../lib/clock.ts'
import { type ExamineParts, examine } from './examine.ts'
import { type ExaminedHolder, type Outcome, type SettleStores, settle } from './settle.ts'

export interface CheckParts extends ExamineParts, SettleStores {
  readonly projects: ExamineParts['projects'] & SettleStores['projects']
  readonly clock: Pick<Clock, 'now'>
  /** Runs `work` in a durable transaction. */
  readonly write: <T>(work: () => T) => T | Promise<T>
}

/** Resolves to `gone` if the domain was removed; also if `signal` was aborted, and nothing is stored then. */
export async function checkClaim(parts: CheckParts, id: number, signal: AbortSignal): Promise<Outcome> {
  const row = parts.domains.findById(id)
  const examination = row && (await examine(parts, row, signal))
  if (!row || !examination) return 'gone'
  const isContested = examination.verdict.kind === 'proven' && !row.holdsName
  const holder = isContested ? await examineHolder(parts, row.hostname, signal) : undefined
  if (signal.aborted) return 'gone'
  return await parts.write(() => settle(parts, id, examination, holder, parts.clock.now()))
}

/** Checks the holder of a name at once; undefined if nobody holds it. */
async function examineHolder(
  parts: ExamineParts,
  hostname: string,
  signal: AbortSignal,
): Promise<ExaminedHolder | undefined> {
  const holder = parts.domains.holderOf(hostname)
  return holder && { id: holder.id, examination: await examine(parts, holder, signal) }
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
