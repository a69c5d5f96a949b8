/** One attempt to get a certificate for a name: the checks before the order, the order, and its installation. */

import type { Finding } from '../../dns/report.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import type { Accounts } from './account.ts'
import type { AuthorityClock } from './acme/authority-clock.ts'
import { AccountRejected, AcmeProblem, AcmeUnavailable, isUnauthorized, wordsOf } from './acme/problem.ts'
import type { Served } from './files/served.ts'
import {
  type AccountSigner,
  type IssuedCertificate,
  OrderEnded,
  type OrderParts,
  type RunningOrder,
  runOrder,
} from './issue.ts'
import { defaultRenewal, limitScope, longestLimitMs, noFailure, pauseAfter, probeReason, retryTimeIn } from './rules.ts'
import { accountAdviceFor, adviceFor } from './status.ts'
import type { CertificateRow, LimitRow, OrderRow } from './store.ts'
import type { StoredProblem } from './table.ts'

/** The result of the checks before an order. */
export type OrderCheck =
  /**
   * `warnings`: findings of the HTTP probe, which do not stop the order unless the authority has failed for the same
   * reason.
   */
  | { readonly verdict: 'allowed'; readonly warnings: readonly Finding[] }
  | { readonly verdict: 'held'; readonly findings: readonly Finding[] }

export type CheckBeforeOrder = (hostname: string, signal: AbortSignal) => Promise<OrderCheck>

export const outcomes = ['issued', 'failed', 'rate_limited', 'held', 'unavailable', 'cancelled'] as const
export type Outcome = (typeof outcomes)[number]

/** The outcomes of which the owner of a name is notified. */
export type CertificateOutcome = 'issued' | 'renewed' | 'failed'

/** What an attempt needs of whoever wants the certificate. */
export interface NameOwner {
  readonly checkBeforeOrder: CheckBeforeOrder
  /** Called in the transaction that stores a result, with a sentence about it for the owner of the name. */
  addToHistory(hostname: string, outcome: CertificateOutcome, message: string): void
}

export interface AttemptParts extends OrderParts, NameOwner {
  readonly accounts: Accounts
  readonly authorityClock: AuthorityClock
  readonly served: Served
  readonly log: Log
}

/** Whether a name needs a certificate now, by the time of the authority. */
function needsCertificate(row: CertificateRow, directory: string, nowMs: number): boolean {
  if (row.removedAt !== null) return false
  return row.file === null || row.directory !== directory || row.renewAt === null || row.renewAt <= nowMs
}

/** Stores the result, whatever it is. Throws only if it can't be stored. */
export async function attempt(parts: AttemptParts, row: CertificateRow, signal: AbortSignal): Promise<Outcome> {
  const { hostname } = row
  const { store, clock, log, writer } = parts
  let open: OrderRow | undefined
  try {
    const issued = await order(parts, row, signal, (current) => {
      open = current
    })
    if (issued === 'not_needed') return 'cancelled'
    const { expiresAtMs } = await install(parts, row, issued, signal)
    log.info('a certificate was installed', { hostname, expires: new Date(expiresAtMs).toISOString() })
    return 'issued'
  } catch (error) {
    if (signal.aborted) return 'cancelled'
    if (!isExpected(error)) log.error('an attempt to get a certificate failed unexpectedly', { hostname, error })
    const present = store.find(hostname) ?? row
    const last = open && store.openOrder(hostname)
    const failure = failureOf(present, error, last?.url != null, clock.now())
    await writer.write(() => {
      signal.throwIfAborted()
      store.change(hostname, failure.values)
      const message = failure.values.problem?.message ?? ''
      // The same failure is tried many times.
      if (message !== present.problem?.message)
        parts.addToHistory(hostname, 'failed', `No certificate was issued. ${message}`)
      if (failure.limit) store.setLimit({ directory: parts.client.directoryUrl, ...failure.limit })
      if (last && failure.endsOrder) store.changeOrder(last.id, { state: 'failed' })
    })
    if (last?.file && failure.endsOrder) await parts.files.remove(last.file)
    const { nextAttemptAt, rateLimitedUntil, problem } = failure.values
    const nextMs = Math.max(nextAttemptAt ?? 0, rateLimitedUntil ?? 0, failure.limit?.until ?? 0)
    const next = new Date(nextMs).toISOString()
    log.warn('a certificate could not be ordered; it is tried again', { hostname, reason: problem?.message, next })
    if (failure.isRateLimit) return 'rate_limited'
    const { source } = failure.values.problem ?? { source: 'ca' }
    return source === 'ca' || source === 'account' ? 'failed' : source
  }
}

function isExpected(error: unknown): boolean {
  return [AcmeProblem, AcmeUnavailable, OrderEnded, HeldOrder, AppError].some((kind) => error instanceof kind)
}

/** Failures that are not older are left alone by the success of another name, in milliseconds. */
const retriedMs = 10 * 60_000

type Issued = { readonly certificate: IssuedCertificate; readonly row: OrderRow }

async function order(
  parts: AttemptParts,
  row: CertificateRow,
  signal: AbortSignal,
  onOrder: (order: OrderRow) => void,
): Promise<Issued | 'not_needed'> {
  const { store, client, authorityClock } = parts
  const { hostname } = row
  // Its response has the authority's time, by which the certificate is judged.
  await client.directory(signal)
  let found = store.openOrder(hostname)
  if (!found) {
    if (!needsCertificate(row, client.directoryUrl, authorityClock.now())) return 'not_needed'
    await check(parts, row, signal)
  }
  for (let registrations = 0; ; registrations++) {
    const signer = await parts.accounts.get()
    if (found && found.acmeAccountId !== signer.id) found = await cancel(parts, found)
    const isResumed = found !== undefined
    const current = found ?? (await addOrder(parts, row, signer, signal))
    onOrder(current)
    const running: RunningOrder = { ...parts, row: current, signer, signal }
    try {
      return { certificate: await runOrder(running, isResumed), row: running.row }
    } catch (error) {
      const problem = error instanceof OrderEnded ? error.problem : error
      // Or the order ran out while the service did not run.
      const isRepeated = (await parts.accounts.hasEnded(signer, problem)) || (isResumed && isLost(error))
      if (!isRepeated || registrations > 1) throw error
      found = await cancel(parts, running.row)
    }
  }
}

/**
 * Records a new order, which is then sent at once. An order that is resumed before its URL is known is looked for at
 * the authority, so none is recorded while the authority does not reply.
 */
async function addOrder(
  { store, writer, clock, client }: AttemptParts,
  { hostname, directory, renewalId }: CertificateRow,
  signer: AccountSigner,
  signal: AbortSignal,
): Promise<OrderRow> {
  await client.contact(signal)
  return await writer.write(() => {
    signal.throwIfAborted()
    const replaces = directory === client.directoryUrl ? renewalId : null
    return store.addOrder({ hostname, acmeAccountId: signer.id, replaces, createdAt: clock.now() })
  })
}

function isLost(error: unknown): boolean {
  return error instanceof OrderEnded && (error.problem.status === 404 || error.problem.status === 403)
}

/** Throws `HeldOrder` if an order would fail. */
async function check(
  { checkBeforeOrder, store, writer }: AttemptParts,
  row: CertificateRow,
  signal: AbortSignal,
): Promise<void> {
  const result = await checkBeforeOrder(row.hostname, signal)
  if (result.verdict === 'held') {
    const [first] = [...result.findings].sort((a, b) => rank(a) - rank(b))
    throw new HeldOrder({
      type: first?.code ?? 'held',
      message: first?.message ?? 'The checks before the order did not pass.',
      fix: first?.fix ?? 'Verify the domain again.',
    })
  }
  if (row.blockedBy === null) return
  const blocking = result.warnings.find(({ code }) => code === row.blockedBy)
  if (blocking) throw new HeldOrder({ type: blocking.code, message: blocking.message, fix: blocking.fix })
  await writer.write(() => store.change(row.hostname, { blockedBy: null }))
}

const rank = ({ severity }: Finding) => ['error', 'warning', 'info'].indexOf(severity)

/** Ends an order that can't be continued here. */
async function cancel({ store, writer, files }: AttemptParts, { id, file }: OrderRow): Promise<undefined> {
  await writer.write(() => store.changeOrder(id, { state: 'cancelled' }))
  if (file !== null) await files.remove(file)
}

/** Puts a certificate in use. Its files are on disk already; the files of its predecessor go. */
async function install(parts: AttemptParts, row: CertificateRow, issued: Issued, signal: AbortSignal) {
  const { store, writer, files, served, clock } = parts
  const { file, key, chain, notBefore, notAfter, renewalId } = issued.certificate
  const { hostname } = row
  await writer.write(() => {
    signal.throwIfAborted()
    store.change(hostname, {
      file,
      directory: parts.client.directoryUrl,
      renewalId,
      notBefore,
      notAfter,
      installedAt: clock.now(),
      renewAt: defaultRenewal(notBefore, notAfter),
      renewalCheckAt: null,
      renewalWindow: null,
      ...noFailure,
    })
    store.changeOrder(issued.row.id, { state: 'installed' })
    // The authority works, and accepts the account: names that failed for these reasons need not wait any longer.
    store.retryShared(clock.now() - retriedMs)
    const until = new Date(notAfter).toISOString().slice(0, 10)
    const outcome = row.file === null ? 'issued' : 'renewed'
    parts.addToHistory(hostname, outcome, `A certificate was ${outcome}. It is valid until ${until}.`)
  })
  const usable = { serverName: hostname, cert: chain, key, expiresAtMs: notAfter }
  // Its removal, which aborts the signal, may have come between.
  if (!signal.aborted) served.set([usable])
  if (row.file !== null && row.file !== file) await files.remove(row.file)
  return usable
}

interface Failure {
  readonly values: Partial<CertificateRow>
  /** A limit that covers further names. */
  readonly limit: Omit<LimitRow, 'directory'> | undefined
  /** Whether the order can't be continued. */
  readonly endsOrder: boolean
  readonly isRateLimit: boolean
}

const dayMs = 86_400_000
/** How long a limit counts whose end the authority does not say. */
const unknownLimitMs = 3_600_000

/** `hasUrl`: whether the authority has accepted the order. */
function failureOf(row: CertificateRow, error: unknown, hasUrl: boolean, nowMs: number): Failure {
  const problem = error instanceof OrderEnded ? error.problem : error
  const failures = row.failures + 1
  const stored = storedProblem(problem, row.hostname)
  const isRateLimit = problem instanceof AcmeProblem && (problem.type === 'rateLimited' || problem.status === 429)
  const untilMs = limitedUntil(problem, isRateLimit, nowMs)
  const scope = scopeOf(problem, isRateLimit, row.hostname)
  return {
    isRateLimit,
    endsOrder: error instanceof OrderEnded || (problem instanceof AcmeProblem && !hasUrl && problem.status < 500),
    limit:
      untilMs === undefined || scope === 'name'
        ? undefined
        : {
            domain: scope === 'account' ? '' : scope.domain,
            since: nowMs,
            until: untilMs,
            message: stored.message,
          },
    values: {
      failures,
      problem: stored,
      failedAt: nowMs,
      nextAttemptAt: nowMs + pauseAfter(failures, stored.source, row, nowMs),
      rateLimitedUntil: scope === 'name' ? (untilMs ?? null) : null,
      ...(problem instanceof AcmeProblem ? { blockedBy: problem.status === 0 ? probeReason(problem.type) : null } : {}),
    },
  }
}

function scopeOf(problem: unknown, isRateLimit: boolean, hostname: string) {
  return isRateLimit && problem instanceof AcmeProblem ? limitScope(wordsOf(problem), hostname) : 'account'
}

/** Until when the authority wants no request, at most eight days ahead; without a limit undefined. */
function limitedUntil(problem: unknown, isRateLimit: boolean, nowMs: number): number | undefined {
  if (problem instanceof AcmeUnavailable) {
    return problem.retryAtMs === undefined ? undefined : Math.min(problem.retryAtMs, nowMs + dayMs)
  }
  if (!(problem instanceof AcmeProblem)) return undefined
  if (!isRateLimit && (problem.retryAtMs === undefined || problem.status !== 503)) return undefined
  const untilMs = problem.retryAtMs ?? retryTimeIn(problem.message) ?? nowMs + unknownLimitMs
  return untilMs <= nowMs ? undefined : Math.min(untilMs, nowMs + longestLimitMs)
}

function storedProblem(problem: unknown, hostname: string): StoredProblem {
  if (problem instanceof HeldOrder) return { source: 'held', ...problem.reason }
  if (problem instanceof AccountRejected || isUnauthorized(problem)) {
    const { type } = problem
    return { source: 'account', type, message: wordsOf(problem), fix: accountAdviceFor(type, hostname) }
  }
  if (problem instanceof AcmeProblem && problem.type !== 'serverInternal' && problem.status < 500) {
    const { type } = problem
    return { source: 'ca', type, message: wordsOf(problem), fix: adviceFor(type, hostname) }
  }
  if (problem instanceof AppError) return { source: 'held', type: problem.code, message: problem.message }
  const type = problem instanceof AcmeProblem ? problem.type : 'unavailable'
  const message = problem instanceof AcmeProblem ? wordsOf(problem) : messageOf(problem)
  return { source: 'unavailable', type, message, fix: unavailableFix }
}

const unavailableFix =
  'The service tries again automatically. If this lasts, the operator has to check the connection to the internet and --acme-directory.'

/** A check before the order has failed; no request was sent to the authority. */
class HeldOrder extends Error {
  override readonly name = 'HeldOrder'
  readonly reason: Omit<StoredProblem, 'source'>

  constructor(reason: Omit<StoredProblem, 'source'>) {
    super(reason.message)
    this.reason = reason
  }
}
