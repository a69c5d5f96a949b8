/** Checks a domain: examines its DNS, and that of the present holder if the claim is proven, and stores the result. */

import type { Clock } from '../../../lib/clock.ts'
import type { CheckTurns } from './check-turns.ts'
import { type ExamineParts, examine, examineRecords, withProbe } from './examine.ts'
import { type ExaminedHolder, type Outcome, type Settled, type SettleStores, settle } from './settle.ts'
import type { Verdict } from './verdict.ts'

export interface CheckParts extends ExamineParts, SettleStores {
  readonly clock: Pick<Clock, 'now'>
  /** The pace of the checks of a server. */
  readonly checkTurns?: CheckTurns | undefined
  /** Runs `work` in a durable transaction, possibly again after a rollback. */
  readonly write: <T>(work: () => T) => T | Promise<T>
}

/** A check that runs or is waiting. */
export interface Check {
  /** Whether somebody has requested it, which begins another 48 hours of checks of a claim that is not proven. */
  isRequested: boolean
  /** Whether the result is being stored: a request that comes now needs a new check. */
  isSettling(): boolean
  /**
   * Resolves when the result is about to be stored; it may be another one than this verdict by then. A write that is queued
   * in the same turn of the event loop has a place in the same transaction, after the result.
   */
  readonly settling: Promise<Verdict['kind']>
  /** Resolves when the result is stored. `gone`: the domain was removed, or the check was aborted, and nothing is stored. */
  readonly stored: Promise<Outcome>
  /** For a transaction after `settling`: the stored result, or undefined if there is none yet. Throws why it can't be stored. */
  result(): Settled | undefined
}

export interface CheckRun {
  /** Runs the part that queries servers, as soon as it may. */
  readonly query: <T>(work: () => Promise<T>) => Promise<T>
  /** Follows the end of the check; what it returns is `stored`. */
  readonly follow: (stored: Promise<Outcome>) => Promise<Outcome>
}

const atOnce: CheckRun = { query: (work) => work(), follow: (stored) => stored }

/** Begins a check. Nothing is stored once `signal` is aborted. Throws what `query` throws. */
export function startCheck(
  parts: CheckParts,
  id: number,
  signal: AbortSignal,
  isRequested: boolean,
  { query, follow }: CheckRun = atOnce,
): Check {
  const { checkTurns, clock } = parts
  const settling = Promise.withResolvers<Verdict['kind']>()
  let isSettling = false
  let result = (): Settled | undefined => undefined

  const isRequestedNow = () => check.isRequested

  async function examineClaim() {
    await checkTurns?.queries.next(isRequestedNow, signal)
    const claim = parts.domains.findClaim(id)
    const records = claim && (await examineRecords(parts, claim, signal))
    if (!claim || !records) return undefined
    const isContested = records.verdict.kind === 'proven' && !claim.holdsName
    return { claim, records, holder: isContested ? await examineHolder(parts, claim.hostname, signal) : undefined }
  }

  async function store(examined: ReturnType<typeof examineClaim>): Promise<Outcome> {
    const found = await examined
    if (!found) return 'gone'
    const { claim, records, holder } = found
    await checkTurns?.results.next(isRequestedNow, signal)
    const examination = await withProbe(parts, claim, records, signal)
    if (!examination || signal.aborted) return 'gone'
    isSettling = true
    const stored = parts.write(() => {
      try {
        const settled = settle(parts, id, examination, holder, clock.now(), check.isRequested)
        result = () => settled
        return settled.outcome
      } catch (error) {
        fail(error)
        throw error
      }
    })
    settling.resolve(examination.verdict.kind)
    return await stored
  }

  function fail(error: unknown): void {
    result = () => {
      throw error
    }
  }

  const check: Check = {
    isRequested,
    isSettling: () => isSettling,
    settling: settling.promise,
    stored: follow(store(query(examineClaim))),
    result: () => result(),
  }
  check.stored.catch(fail)
  return check
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
