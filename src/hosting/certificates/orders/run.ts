/**
 * Runs an order from any step to its end. Every step is saved before the request that it stands for and after its reply,
 * and the authority's own state decides the next step, so an order goes on after a kill at any moment.
 */

import { AcmeProblem, AcmeUnavailable, readProblem } from '../acme/problem.ts'
import { Order, parseReply } from '../acme/resources.ts'
import { type AcmeReply, retryAtOf } from '../acme/transport.ts'
import { download, type IssuedCertificate } from './download.ts'
import { finalize } from './finalize.ts'
import { OrderEnded, type RunningOrder, wait } from './parts.ts'
import { place } from './place.ts'
import { validate } from './validate.ts'

/** How long one run waits for the authority. The order stays open and goes on at the next attempt. */
export const runTimeoutMs = 5 * 60_000

/** The pauses between two looks at an order, in milliseconds; the last one repeats. */
const pausesMs = [300, 700, 1_000, 1_000, 2_000, 3_000, 5_000]
const longestPauseMs = 30_000

/**
 * Resolves to the certificate, which is on disk and not yet installed. Throws `OrderEnded` if the authority has ended the
 * order, otherwise `AcmeProblem`, `AcmeUnavailable` or `storage_unavailable`: the order can then be continued.
 */
export async function runOrder(order: RunningOrder, isResumed: boolean): Promise<IssuedCertificate> {
  const { client, clock, signer, signal } = order
  const deadlineMs = clock.monotonic() + runTimeoutMs
  if (order.row.url === null) await place(order, isResumed)
  let isFinalized = false
  for (let looks = 0; ; ) {
    const reply = await client.post(order.row.url ?? '', undefined, signer, signal).catch((error) => {
      throw isGone(error) ? new OrderEnded(error) : error
    })
    const found = parseReply(Order, reply.text, 'an order')
    if (found.status === 'valid' && found.certificate !== undefined) return await download(order, found.certificate)
    if (found.status === 'invalid') throw new OrderEnded(await reasonOf(order, found))
    if (found.status === 'pending') await validate(order, found)
    if (found.status === 'ready') {
      await finalize(order, found)
      // Many authorities have the certificate by now.
      if (!isFinalized) looks = 0
      isFinalized = true
    }
    if (clock.monotonic() >= deadlineMs) {
      const minutes = runTimeoutMs / 60_000
      throw new AcmeUnavailable(`The certificate authority has not finished the order within ${minutes} minutes.`)
    }
    await wait(clock, pauseOf(looks++, reply, clock.now()), signal)
  }
}

/** The authority does not know the order, or not as one of this account. */
function isGone(error: unknown): error is AcmeProblem {
  if (!(error instanceof AcmeProblem)) return false
  return error.status === 404 || (error.status === 403 && error.type === 'unauthorized')
}

function pauseOf(look: number, { headers }: AcmeReply, nowMs: number): number {
  const usualMs = pausesMs[Math.min(look, pausesMs.length - 1)] ?? longestPauseMs
  const retryAtMs = retryAtOf(headers, nowMs)
  return retryAtMs === undefined ? usualMs : Math.min(Math.max(retryAtMs - nowMs, usualMs), longestPauseMs)
}

/** Why an order is invalid: its own error, or that of its authorization. */
async function reasonOf(order: RunningOrder, found: Order): Promise<AcmeProblem> {
  if (found.error !== undefined) return new AcmeProblem(readProblem(found.error), 0)
  try {
    await validate(order, found)
  } catch (error) {
    if (error instanceof OrderEnded) return error.problem
    if (!(error instanceof AcmeProblem)) throw error
  }
  const detail = 'The certificate authority has ended the order without a reason.'
  return new AcmeProblem({ type: 'about:blank', detail, subproblems: [] }, 0)
}
