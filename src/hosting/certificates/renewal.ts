/** Queries the authority's renewal information (ARI, RFC 9773) and stores the moment of renewal. */

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

/** How many certificates one run of the job queries about, and how many of them at once. */
const perRun = 100
const atOnce = 4
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Queries about the certificates whose time has come. Never throws because of the authority. */
export async function queryRenewals(parts: RenewalParts, signal: AbortSignal): Promise<void> {
  const { client, store, clock } = parts
  const due = store.renewable(client.directoryUrl, clock.now(), perRun)
  for (let at = 0; at < due.length; at += atOnce) {
    await Promise.all(due.slice(at, at + atOnce).map((row) => query(parts, row, signal)))
  }
}

async function query(parts: RenewalParts, row: CertificateRow, signal: AbortSignal): Promise<void> {
  const values = await advice(parts, row, signal)
  await parts.writer.write(() => {
    const present = parts.store.find(row.hostname)
    // It may have been renewed meanwhile.
    if (present?.renewalId === row.renewalId) parts.store.change(row.hostname, values)
  })
}

async function advice(
  { client, clock, random }: RenewalParts,
  row: CertificateRow,
  signal: AbortSignal,
): Promise<Partial<CertificateRow>> {
  const { notBefore, notAfter, renewalId } = row
  if (notBefore === null || notAfter === null) return { renewalCheckAt: clock.now() + dayMs }
  const unadvised = { renewAt: defaultRenewal(notBefore, notAfter), renewalWindow: null }
  try {
    const { renewalInfo } = await client.directory(signal)
    if (renewalInfo === undefined) return { ...unadvised, renewalCheckAt: clock.now() + dayMs }
    const reply = await client.get(`${renewalInfo.replace(/\/$/, '')}/${renewalId}`, signal)
    const renewalCheckAt = nextRenewalCheck(retryAtOf(reply.headers, clock.now()), clock.now())
    const { start, end } = parseReply(RenewalInfo, reply.text, 'renewal information').suggestedWindow
    const [startMs, endMs] = [Date.parse(start), Date.parse(end)]
    if (!(endMs > startMs)) return { ...unadvised, renewalCheckAt }
    const renewalWindow = `${start}/${end}`
    // The moment is chosen once for each window: choosing at every query would prefer early moments.
    if (renewalWindow === row.renewalWindow) return { renewalCheckAt }
    return { renewalWindow, renewAt: renewalIn({ startMs, endMs }, random(), notBefore, notAfter), renewalCheckAt }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AcmeUnavailable) {
      return { renewalCheckAt: nextRenewalCheck(error.retryAtMs ?? clock.now() + hourMs, clock.now()) }
    }
    if (!(error instanceof AcmeProblem)) throw error
    const renewalCheckAt = nextRenewalCheck(error.retryAtMs ?? clock.now() + dayMs, clock.now())
    // The authority does not know the certificate: its advice does not hold any more.
    return error.status === 404 ? { ...unadvised, renewalCheckAt } : { renewalCheckAt }
  }
}
