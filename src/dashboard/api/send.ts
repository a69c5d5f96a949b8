/**
 * Sends the requests to /v1. A response of 401 is followed by one more attempt with a new token. Every POST has an
 * `Idempotency-Key`, so that attempts can be repeated without doing anything twice: if no response arrived, the same
 * request from the same page uses the same key again.
 */

import { ApiError, fetchOrExplain, requireSuccess } from './error.ts'
import { randomId } from './random.ts'
import { bearer, discard } from './token.ts'

/** The keys of requests whose outcome is unknown, by method, address and body. */
const unresolved = new Map<string, string>()
/** Files are not read only to compare them. */
const comparedBytes = 100_000

/** The `fetch` of the API's client. Throws an ApiError for every error, a NoConnectionError without a response. */
export async function send(request: Request): Promise<Response> {
  const name = await nameOf(request)
  if (name !== undefined) {
    const key = unresolved.get(name) ?? randomId()
    unresolved.set(name, key)
    request.headers.set('Idempotency-Key', key)
  }
  try {
    const response = await requireSuccess(await sendWithToken(request))
    if (name !== undefined) unresolved.delete(name)
    return response
  } catch (error) {
    if (name !== undefined && error instanceof ApiError && error.status < 500) unresolved.delete(name)
    throw error
  }
}

async function sendWithToken(request: Request): Promise<Response> {
  const repeated = request.clone()
  const token = await bearer()
  request.headers.set('Authorization', `Bearer ${token}`)
  const response = await fetchOrExplain(request)
  if (response.status !== 401) return response
  discard(token)
  repeated.headers.set('Authorization', `Bearer ${await bearer()}`)
  return fetchOrExplain(repeated)
}

/** The name under which the key of a POST is kept: its target and body. Undefined for other methods. */
async function nameOf(request: Request): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined
  const isText = request.headers.get('content-type')?.startsWith('application/json') ?? true
  const body = isText ? await request.clone().text() : randomId()
  return `${request.url}\n${body.length > comparedBytes ? randomId() : body}`
}
