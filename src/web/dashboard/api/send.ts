/**
 * Sends the requests to /v1. A response of 401 is followed by one more attempt with a new token. Every change by POST has
 * an `Idempotency-Key`, so that attempts can be repeated without doing anything twice: if no response arrived, the same
 * request from the same page uses the same key again. After a minute, after another change, or when the form is cancelled,
 * the same request is a new one.
 */

import { fetchOrExplain, isApiError, requireSuccess } from './error.ts'
import { bearer, discard } from './token.ts'

/** Requests whose outcome is unknown, by address and body; without `failedAtMs`, they are still running. */
const unresolved = new Map<string, { readonly key: string; readonly failedAtMs?: number }>()
/** The requests whose failures are shown, with their keys. */
const failures = new WeakMap<object, { readonly name: string; readonly key: string }>()
/** How long after a failure the same request counts as another attempt. */
const retriedMs = 60_000
/** Longer bodies, such as files, are not compared. */
const comparedBytes = 100_000

/** The `fetch` of the API's client. Throws an ApiError for every error, a NoConnectionError without a response. */
export async function send(request: Request): Promise<Response> {
  const name = await nameOf(request)
  const response = await (name === undefined ? sendWithToken(request) : sendWithKey(request, name))
  if (request.method !== 'GET') forgetFailed()
  return response
}

/** The header that makes a request a new one, even after a lost response. */
export const newRequest = () => ({ 'Idempotency-Key': randomId() })

/** The next request is a new one, not another attempt of a failed one. */
export function forgetFailed(): void {
  for (const [name, { failedAtMs }] of unresolved) if (failedAtMs !== undefined) unresolved.delete(name)
}

/** The person retries the request that failed with `error`: it uses the same key again, however long ago that was. */
export function repeatFailed(error: unknown): void {
  const failed = failures.get(Object(error))
  if (failed !== undefined) unresolved.set(failed.name, { key: failed.key, failedAtMs: Date.now() })
}

async function sendWithKey(request: Request, name: string): Promise<Response> {
  const before = unresolved.get(name)
  const isRetry = before !== undefined && Date.now() - (before.failedAtMs ?? Date.now()) < retriedMs
  const key = isRetry ? before.key : randomId()
  unresolved.set(name, { key })
  request.headers.set('Idempotency-Key', key)
  try {
    const response = await sendWithToken(request)
    unresolved.delete(name)
    return response
  } catch (error) {
    if (isRefused(error)) unresolved.delete(name)
    else {
      unresolved.set(name, { key, failedAtMs: Date.now() })
      failures.set(Object(error), { name, key })
    }
    throw error
  }
}

/** Whether the response says that the store changed nothing. */
export const isRefused = (error: unknown): boolean =>
  isApiError(error) && error.status < 500 && error.code !== 'idempotency_in_progress'

async function sendWithToken(request: Request): Promise<Response> {
  const repeated = request.clone()
  const token = await bearer()
  request.headers.set('Authorization', `Bearer ${token}`)
  const response = await fetchOrExplain(request)
  if (response.status !== 401) return requireSuccess(response)
  discard(token)
  repeated.headers.set('Authorization', `Bearer ${await bearer()}`)
  return requireSuccess(await fetchOrExplain(repeated))
}

/** The name under which the key of a POST is kept: its target and body. Undefined for a request without a key, or with its own. */
async function nameOf(request: Request): Promise<string | undefined> {
  // A preview changes nothing; with a key, each one would be stored for a day.
  const isPreview = request.url.endsWith('/preview')
  if (request.method !== 'POST' || isPreview || request.headers.has('Idempotency-Key')) return undefined
  const isText = request.headers.get('content-type')?.startsWith('application/json') ?? true
  const body = isText ? await request.clone().text() : randomId()
  return `${request.url}\n${body.length > comparedBytes ? randomId() : body}`
}

/** 128 random bits in hexadecimal digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
