/**
 * Runs an order of a certificate from any step to its end (RFC 8555 section 7.4): it is placed, its challenge is
 * validated, it is finalized with the key, and the certificate is downloaded. Every step is saved before the request
 * that it stands for and after its reply, and the authority's own state decides the next step, so an order goes on
 * after a kill at any moment.
 */

import type { X509Certificate } from 'node:crypto'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { nodeCrypto } from '../../lib/late-modules.ts'
import type { AcmeClient, Signer } from './acme/client.ts'
import { newKey } from './acme/jose.ts'
import { AcmeProblem, AcmeUnavailable, readProblem } from './acme/problem.ts'
import { Account, Authorization, type Challenge, Order, OrderList, parseReply } from './acme/resources.ts'
import { type AcmeReply, retryAtOf } from './acme/transport.ts'
import { certificateRequest, renewalIdentifier } from './acme/x509.ts'
import type { KeyFiles } from './files/key-files.ts'
import type { CertificateStore, OrderRow } from './store.ts'

export interface AccountSigner extends Signer {
  /** The id of its row. */
  readonly id: number
  readonly accountUrl: string
}

export interface OrderParts {
  readonly client: AcmeClient
  readonly store: CertificateStore
  readonly writer: Pick<Writer, 'write'>
  readonly files: KeyFiles
  readonly clock: Clock
}

/** An order on its way: `row` is its state as it was last saved. */
export interface RunningOrder extends OrderParts {
  row: OrderRow
  readonly signer: AccountSigner
  /** Aborted when the service stops or the order is cancelled. */
  readonly signal: AbortSignal
}

/** The authority has ended the order, for the reason in `problem`. */
export class OrderEnded extends Error {
  override readonly name = 'OrderEnded'
  readonly problem: AcmeProblem

  constructor(problem: AcmeProblem) {
    super(problem.message, { cause: problem })
    this.problem = problem
  }
}

/** Saves a step; resolves when it is on disk. A cancelled order is no longer changed. */
async function save(order: RunningOrder, values: Partial<OrderRow>): Promise<void> {
  await order.writer.write(() => {
    order.signal.throwIfAborted()
    order.store.changeOrder(order.row.id, values)
  })
  order.row = { ...order.row, ...values }
}

/** Throws the reason of the signal as soon as that is aborted. */
function wait(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** How long one run waits for the authority. The order stays open and goes on at the next attempt. */
const runTimeoutMs = 5 * 60_000

/** The pauses between two looks at an order, in milliseconds; the last one repeats. */
const pausesMs = [300, 700, 1_000, 1_000, 2_000, 3_000, 5_000]
const longestPauseMs = 30_000

/**
 * Resolves to the certificate, which is on disk and not yet installed. Throws `OrderEnded` if the authority has ended
 * the order, otherwise `AcmeProblem`, `AcmeUnavailable` or `storage_unavailable`: the order can then be continued.
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
  return ownProblem('The certificate authority has ended the order without a reason.')
}

/** How many orders of the account are looked at. */
const maximumLookedAt = 10

/** Sends the order and saves its URL. A resumed order may have been sent before the process was killed. */
async function place(order: RunningOrder, isResumed: boolean): Promise<void> {
  const url = (isResumed ? await findSent(order) : undefined) ?? (await send(order))
  await save(order, { state: 'placed', url })
}

async function send(order: RunningOrder): Promise<string> {
  const { client, signer, signal, row } = order
  const { newOrder, renewalInfo } = await client.directory(signal)
  const replaces = renewalInfo === undefined ? null : row.replaces
  const payload = {
    identifiers: [{ type: 'dns', value: row.hostname }],
    ...(replaces === null ? {} : { replaces }),
  }
  try {
    const reply = await client.post(newOrder, payload, signer, signal)
    const url = reply.headers.get('location')
    if (!url) throw new AcmeUnavailable('The certificate authority sent an order without an address.')
    return url
  } catch (error) {
    // The order is still wanted if the authority does not accept it as a replacement.
    if (replaces === null || !rejectsReplacement(error)) throw error
    await save(order, { replaces: null })
    return send(order)
  }
}

/** `alreadyReplaced` (RFC 9773, section 5), or the certificate is not known, or is another account's. */
function rejectsReplacement(error: unknown): boolean {
  if (!(error instanceof AcmeProblem)) return false
  return ['alreadyReplaced', 'malformed', 'unauthorized'].includes(error.type)
}

/** The URL of an order of this account for the same name that can be continued, if the authority lists its orders. */
async function findSent({ client, signer, signal, row }: RunningOrder): Promise<string | undefined> {
  try {
    const account = parseReply(
      Account,
      (await client.post(signer.accountUrl, undefined, signer, signal)).text,
      'an account',
    )
    if (account.orders === undefined) return undefined
    const list = await client.post(account.orders, undefined, signer, signal)
    const urls = parseReply(OrderList, list.text, 'a list of orders').orders
    for (const url of urls.slice(-maximumLookedAt).reverse()) {
      const reply = await client.post(url, undefined, signer, signal)
      const found = parseReply(Order, reply.text, 'an order')
      const isSame = found.identifiers.length === 1 && found.identifiers[0]?.value === row.hostname
      if (isSame && (found.status === 'pending' || found.status === 'ready')) return url
    }
  } catch (error) {
    signal.throwIfAborted()
    // Let's Encrypt lists no orders, and returns the open one when it is ordered again.
    if (!(error instanceof AcmeProblem || error instanceof AcmeUnavailable)) throw error
    if (error instanceof AcmeProblem && error.type === 'accountDoesNotExist') throw error
  }
  return undefined
}

/**
 * Begins the validation of each authorization that is pending. Throws `OrderEnded` if one has failed, with the reason
 * of the authority.
 */
async function validate(order: RunningOrder, { authorizations }: Order): Promise<void> {
  const { client, signer, signal } = order
  for (const url of authorizations) {
    const reply = await client.post(url, undefined, signer, signal)
    const authorization = parseReply(Authorization, reply.text, 'an authorization')
    if (authorization.status === 'valid') continue
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01')
    if (authorization.status !== 'pending') throw new OrderEnded(failureOf(authorization, challenge))
    if (!challenge?.token) throw new OrderEnded(ownProblem('The certificate authority offers no http-01 challenge.'))
    await begin(order, challenge, challenge.token)
  }
}

async function begin(order: RunningOrder, challenge: Challenge, token: string): Promise<void> {
  const { client, signer, signal, row } = order
  // RFC 8555, section 8.3: base64url, at least 128 bits.
  if (!/^[A-Za-z0-9_-]{16,500}$/.test(token)) {
    throw new OrderEnded(ownProblem('The certificate authority sent a challenge whose token is not valid.'))
  }
  if (row.token !== token || row.state !== 'challenged') {
    const keyAuthorization = `${token}.${signer.key.thumbprint}`
    await save(order, { state: 'challenged', token, keyAuthorization })
  }
  if (challenge.status === 'pending') await client.post(challenge.url, {}, signer, signal)
}

function failureOf({ status }: Authorization, challenge: Challenge | undefined): AcmeProblem {
  if (challenge?.error !== undefined) return new AcmeProblem(readProblem(challenge.error), 0)
  return ownProblem(`The certificate authority has ended the authorization (${status}) without a reason.`)
}

function ownProblem(detail: string): AcmeProblem {
  return new AcmeProblem({ type: 'about:blank', detail, subproblems: [] }, 0)
}

/** Sends the certificate request of a validated order. */
async function finalize(order: RunningOrder, found: Order): Promise<void> {
  const { client, signer, signal, row } = order
  const key = await orderKey(order)
  const csr = await certificateRequest(row.hostname, key)
  await save(order, { state: 'finalized' })
  try {
    await client.post(found.finalize, { csr }, signer, signal)
  } catch (error) {
    // Another look at the order decides.
    if (error instanceof AcmeProblem && error.type === 'orderNotReady') return
    throw isRejection(error) ? new OrderEnded(error) : error
  }
}

/** Whether the authority rejects the name or the request, and would do so again. */
function isRejection(error: unknown): error is AcmeProblem {
  if (!(error instanceof AcmeProblem) || error.status >= 500) return false
  return !['rateLimited', 'accountDoesNotExist', 'badNonce'].includes(error.type)
}

/** The private key of the order: the one on disk, or a new one. */
async function orderKey(order: RunningOrder): Promise<string> {
  const { files, row } = order
  const stored = row.file === null ? undefined : await files.read(row.file, 'key')
  if (stored !== undefined) return stored
  const key = await newKey()
  const file = row.file ?? files.newName()
  await files.write(file, 'key', key)
  await save(order, { state: 'ready', file })
  return key
}

export interface IssuedCertificate {
  /** The name of its files. */
  readonly file: string
  readonly key: string
  /** The certificate and its chain, in PEM. */
  readonly chain: string
  /** Unix milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** For ARI; null if the certificate has no authority key identifier. */
  readonly renewalId: string | null
}

const maximumCertificates = 10

/**
 * Downloads the certificate and stores it beside its key. Throws `OrderEnded` if it does not belong to the key or the
 * name: a new order is then needed.
 */
async function download(order: RunningOrder, url: string): Promise<IssuedCertificate> {
  const { client, signer, signal, files, row } = order
  if (row.state !== 'issued') await save(order, { state: 'issued' })
  const reply = await client.post(url, undefined, signer, signal)
  const key = row.file === null ? undefined : await files.read(row.file, 'key')
  if (row.file === null || key === undefined) throw unusable('its private key is missing here')
  const chain = readChain(reply.text)
  const [leaf] = chain
  if (!leaf) throw unusable('it is not PEM')
  if (!leaf.checkPrivateKey(nodeCrypto().createPrivateKey(key))) throw unusable('it belongs to another key')
  if (leaf.checkHost(row.hostname, { subject: 'never', wildcards: false }) === undefined) {
    throw unusable(`it is not for ${row.hostname}`)
  }
  const notBefore = Date.parse(leaf.validFrom)
  const notAfter = Date.parse(leaf.validTo)
  if (!(notAfter > notBefore)) throw unusable('its times are not valid')
  const pem = chain.map((certificate) => certificate.toString().trimEnd()).join('\n')
  await files.write(row.file, 'pem', `${pem}\n`)
  const renewalId = (await renewalIdentifier(leaf.toString())) ?? null
  return { file: row.file, key, chain: `${pem}\n`, notBefore, notAfter, renewalId }
}

/** The certificates of a PEM text, the leaf first; empty if one of them can't be read. */
export function readChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    const { X509Certificate } = nodeCrypto()
    return blocks.slice(0, maximumCertificates).map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}

function unusable(reason: string): OrderEnded {
  return new OrderEnded(ownProblem(`The certificate authority issued a certificate that can't be used: ${reason}.`))
}
