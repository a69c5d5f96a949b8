/** Requests to a certificate authority (RFC 8555): directory, nonces, signed requests and their errors. */

import type { Clock } from '../../../lib/clock.ts'
import { type AccountKey, signRequest } from './jose.ts'
import { AcmeProblem, AcmeUnavailable, readProblem } from './problem.ts'
import { Directory, parseReply } from './resources.ts'
import { type AcmeReply, hostOf, retryAtOf, type Transport } from './transport.ts'

/** Who signs: the key, and the URL of the account once it is registered. */
export interface Signer {
  readonly key: AccountKey
  readonly accountUrl: string | undefined
}

export interface AcmeClient {
  readonly directoryUrl: string
  /** The directory; fetched again after a day, and after a request without a valid reply. */
  directory(signal: AbortSignal): Promise<Directory>
  /** The directory as it was fetched last; undefined before. */
  lastDirectory(): Directory | undefined
  /** Fetches a nonce for the next POST, which shows that the authority replies at this moment. */
  contact(signal: AbortSignal): Promise<void>
  /** Sends a signed POST; without a payload it is a POST-as-GET. */
  post(url: string, payload: object | undefined, signer: Signer, signal: AbortSignal): Promise<AcmeReply>
  /** An unsigned GET. */
  get(url: string, signal: AbortSignal): Promise<AcmeReply>
}

/** How often a request is signed again because its nonce was rejected. */
const maximumNonces = 8
/** Nonces that are kept for later requests. */
const keptNonces = 10
const directoryMs = 86_400_000

/** Every method throws `AcmeProblem` or `AcmeUnavailable`, or the reason of the signal if that is aborted. */
export function createAcmeClient(
  directoryUrl: string,
  transport: Transport,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): AcmeClient {
  let known: { readonly directory: Directory; readonly untilMs: number } | undefined
  let last: Directory | undefined
  let nonces: string[] = []

  /** The scheme may not change: an `https` directory must not lead to unencrypted requests. */
  function checked(url: string): string {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (parsed?.protocol === new URL(directoryUrl).protocol) return url
    throw new AcmeUnavailable(`The certificate authority sent the address "${url.slice(0, 200)}", which can't be used.`)
  }

  function keepNonce(nonce: string | undefined): void {
    if (nonce !== undefined) nonces = [...nonces, nonce].slice(-keptNonces)
  }

  async function fetchNonce(signal: AbortSignal): Promise<string> {
    const { newNonce } = await directory(signal)
    const reply = await transport({ method: 'HEAD', url: checked(newNonce), signal })
    assertSuccess(reply)
    const nonce = nonceIn(reply)
    if (nonce === undefined) throw new AcmeUnavailable(`${hostOf(newNonce)} sent no nonce.`)
    return nonce
  }

  function assertSuccess(reply: AcmeReply): void {
    if (reply.status >= 200 && reply.status < 300) return
    const retryAtMs = retryAtOf(reply.headers, clock.now())
    const problem = problemOf(reply)
    if (problem) throw new AcmeProblem(problem, reply.status, retryAtMs)
    throw new AcmeUnavailable(`${hostOf(directoryUrl)} replied with status ${reply.status}.`, { retryAtMs })
  }

  async function directory(signal: AbortSignal): Promise<Directory> {
    if (known && known.untilMs > clock.monotonic()) return known.directory
    const reply = await get(directoryUrl, signal)
    const found = parseReply(Directory, reply.text, 'a directory')
    for (const url of [found.newNonce, found.newAccount, found.newOrder, found.renewalInfo]) if (url) checked(url)
    last = found
    known = { directory: found, untilMs: clock.monotonic() + directoryMs }
    return found
  }

  async function get(url: string, signal: AbortSignal): Promise<AcmeReply> {
    const reply = await transport({ method: 'GET', url: checked(url), signal })
    assertSuccess(reply)
    return reply
  }

  return {
    directoryUrl,
    directory,
    lastDirectory: () => last,
    get,
    async contact(signal) {
      keepNonce(await fetchNonce(signal))
    },
    async post(url, payload, signer, signal) {
      for (let count = 1; ; count++) {
        const body = signRequest({
          ...signer,
          nonce: nonces.pop() ?? (await fetchNonce(signal)),
          url: checked(url),
          payload,
        })
        const accept = payload === undefined ? 'application/json, application/pem-certificate-chain' : '*/*'
        try {
          const reply = await transport({ method: 'POST', url, body, accept, signal })
          keepNonce(nonceIn(reply))
          assertSuccess(reply)
          return reply
        } catch (error) {
          // The authority may have moved.
          if (!(error instanceof AcmeProblem) || error.status === 404) known = undefined
          const isRetried = error instanceof AcmeProblem && error.type === 'badNonce' && count < maximumNonces
          if (!isRetried) throw error
          // Older nonces are likely to be rejected as well; the reply brought a fresh one.
          nonces = nonces.slice(-1)
        }
      }
    },
  }
}

/** The nonce that a reply brings (RFC 8555, section 6.5.1: base64url). */
function nonceIn({ headers }: AcmeReply): string | undefined {
  return /^[A-Za-z0-9_-]{1,500}$/.exec(headers.get('replay-nonce') ?? '')?.[0]
}

/** The problem document of an error, if the reply is one. */
function problemOf({ headers, text, status }: AcmeReply) {
  const type = headers.get('content-type') ?? ''
  if (!type.includes('json') || status < 400) return undefined
  try {
    return readProblem(JSON.parse(text))
  } catch {
    return undefined
  }
}
