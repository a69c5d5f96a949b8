/** One attempt to get a certificate for a name: the checks before the order, the order, and its installation. */

import type { Finding } from '../../../dns/report.ts'
import { AppError } from '../../../lib/error.ts'
import type { Log } from '../../../lib/log.ts'
import type { AuthorityClock } from '../acme/authority-clock.ts'
import { AcmeProblem, AcmeUnavailable } from '../acme/problem.ts'
import type { Served } from '../files/served.ts'
import { defaultRenewal, noFailure } from '../rules.ts'
import type { CertificateRow, OrderRow } from '../store.ts'
import type { Accounts } from './account.ts'
import type { IssuedCertificate } from './download.ts'
import { failureOf, HeldOrder } from './failure.ts'
import { OrderEnded, type OrderParts, type RunningOrder } from './parts.ts'
import { runOrder } from './run.ts'

/** The result of the checks before an order. */
export type OrderCheck =
  /** `warnings`: findings of the HTTP probe, which do not hold the order unless the authority has failed for the same reason. */
  | { readonly verdict: 'allowed'; readonly warnings: readonly Finding[] }
  | { readonly verdict: 'held'; readonly findings: readonly Finding[] }

export type CheckBeforeOrder = (hostname: string, signal: AbortSignal) => Promise<OrderCheck>

export const outcomes = ['issued', 'failed', 'rate_limited', 'held', 'unavailable', 'cancelled'] as const
export type Outcome = (typeof outcomes)[number]

export interface AttemptParts extends OrderParts {
  readonly accounts: Accounts
  readonly authorityClock: AuthorityClock
  readonly checkBeforeOrder: CheckBeforeOrder
  readonly served: Served
  readonly log: Log
  /** Called in the transaction that stores a result, with a sentence about it for the owner of the name. */
  readonly record: (hostname: string, message: string) => void
}

/** Whether a name needs a certificate now, by the time of the authority. */
export function needsCertificate(row: CertificateRow, directory: string, nowMs: number): boolean {
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
      if (message !== present.problem?.message) parts.record(hostname, `No certificate was issued. ${message}`)
      if (failure.limit) store.setLimit({ directory: parts.client.directoryUrl, ...failure.limit })
      if (last && failure.endsOrder) store.changeOrder(last.id, { state: 'failed' })
    })
    if (last?.file && failure.endsOrder) await parts.files.remove(last.file)
    log.warn('a certificate could not be ordered; it is tried again', {
      hostname,
      reason: failure.values.problem?.message,
      next: new Date(failure.values.nextAttemptAt ?? 0).toISOString(),
    })
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
  const { store, writer, clock, client, authorityClock } = parts
  const { hostname } = row
  // The first contact also tells the time by which the certificate is judged.
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
    const current: OrderRow =
      found ??
      (await writer.write(() => {
        signal.throwIfAborted()
        const replaces = row.directory === client.directoryUrl ? row.renewalId : null
        return store.addOrder({ hostname, acmeAccountId: signer.id, replaces, createdAt: clock.now() })
      }))
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
    // The authority works, and accepts the account: names that failed for these reasons need not wait on.
    store.retryOutage({ fromMs: 0, toMs: clock.now() - retriedMs })
    const until = new Date(notAfter).toISOString().slice(0, 10)
    parts.record(hostname, `A certificate was ${row.file === null ? 'issued' : 'renewed'}. It is valid until ${until}.`)
  })
  const usable = { serverName: hostname, cert: chain, key, expiresAtMs: notAfter }
  // Its removal, which aborts the signal, may have come between.
  if (!signal.aborted) served.set([usable])
  if (row.file !== null && row.file !== file) await files.remove(row.file)
  return usable
}
