/**
 * Asks the certificate authority when each certificate should be renewed (ACME Renewal Information, RFC 9773), and
 * stores that time as `renewAt`. Without this information a certificate is renewed when a third of its life is left
 * (`rules.ts`).
 */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AcmeClient } from './acme/client.ts'
import { AcmeProblem, AcmeUnavailable } from './acme/problem.ts'
import { parseReply, RenewalInfo } from './acme/resources.ts'
import { retryAtOf } from './acme/transport.ts'
import { defaultRenewal, nextRenewalCheck, renewalIn } from './rules.ts'
import type { CertificateRow, CertificateStore } from './store.ts'

export interface RenewalParts {
  readonly client: AcmeClient
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly clock: Pick<Clock, 'now'>
  /** From 0 to 1. */
  readonly random: () => number
}

/** The most certificates that one run of the job asks about, and the most requests at the same time. */
const certificatesPerRun = 100
const requestsAtOnce = 4
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Asks about every certificate whose next query is due. An error of the authority is no error of this function: the
 * next query is postponed. Throws only if the result cannot be stored.
 */
export async function queryRenewals(parts: RenewalParts, signal: AbortSignal): Promise<void> {
  const { client, store, clock } = parts
  const due = store.renewable(client.directoryUrl, clock.now(), certificatesPerRun)
  for (let at = 0; at < due.length; at += requestsAtOnce) {
    await Promise.all(due.slice(at, at + requestsAtOnce).map((row) => query(parts, row, signal)))
  }
}

async function query(parts: RenewalParts, row: CertificateRow, signal: AbortSignal): Promise<void> {
  const values = await renewalColumns(parts, row, signal)
  await parts.writer.write(() => {
    const present = parts.store.find(row.hostname)
    // The certificate may have been renewed during the request.
    if (present?.renewalId === row.renewalId) parts.store.change(row.hostname, values)
  })
}

/** The columns that follow from the authority's response. */
async function renewalColumns(
  { client, clock, random }: RenewalParts,
  row: CertificateRow,
  signal: AbortSignal,
): Promise<Partial<CertificateRow>> {
  const { notBefore, notAfter, renewalId } = row
  if (notBefore === null || notAfter === null) return { renewalCheckAt: clock.now() + dayMs }
  const byRule = { renewAt: defaultRenewal(notBefore, notAfter), renewalWindow: null }
  try {
    const { renewalInfo } = await client.directory(signal)
    if (renewalInfo === undefined) return { ...byRule, renewalCheckAt: clock.now() + dayMs }
    const reply = await client.get(`${renewalInfo.replace(/\/$/, '')}/${renewalId}`, signal)
    const renewalCheckAt = nextRenewalCheck(retryAtOf(reply.headers, clock.now()), clock.now())
    const { start, end } = parseReply(RenewalInfo, reply.text, 'renewal information').suggestedWindow
    const [startMs, endMs] = [Date.parse(start), Date.parse(end)]
    if (!(endMs > startMs)) return { ...byRule, renewalCheckAt }
    const renewalWindow = `${start}/${end}`
    // The time within a window is chosen at random, once: choosing again at each query would make early times more
    // likely.
    if (renewalWindow === row.renewalWindow) return { renewalCheckAt }
    return { renewalWindow, renewAt: renewalIn({ startMs, endMs }, random(), notBefore, notAfter), renewalCheckAt }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AcmeUnavailable) {
      return { renewalCheckAt: nextRenewalCheck(error.retryAtMs ?? clock.now() + hourMs, clock.now()) }
    }
    if (!(error instanceof AcmeProblem)) throw error
    const renewalCheckAt = nextRenewalCheck(error.retryAtMs ?? clock.now() + dayMs, clock.now())
    // The authority does not know the certificate, so an earlier window no longer applies.
    return error.status === 404 ? { ...byRule, renewalCheckAt } : { renewalCheckAt }
  }
}
