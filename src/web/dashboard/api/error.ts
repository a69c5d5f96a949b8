/** The errors of requests to the store, and their explanations for the owner. */

import { createSignal } from '../signal.ts'

/** The store responded with an error, in the form that all its errors have. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  /** Seconds to wait, where the response says so. */
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined
  /** The whole body: some errors of the dashboard's own routes have further members. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(response: Response, body: Readonly<Record<string, unknown>>) {
    super(typeof body['message'] === 'string' ? body['message'] : `The store responded with ${response.status}.`)
    this.code = typeof body['code'] === 'string' ? body['code'] : 'unknown'
    this.status = response.status
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.body = body
  }
}

/** No response arrived: the store is stopped, or the network between it and this device is down. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError'
}

/** Throws an ApiError for a response without success. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok || response.status === 304) return response
  const body: unknown = await response.json().catch(() => undefined)
  throw new ApiError(response, typeof body === 'object' && body !== null ? { ...body } : {})
}

/** Whether the last request got a response. */
export const isConnected = createSignal(true)

/** Like `fetch`, but throws a NoConnectionError when no response arrives. An abort by the page stays an AbortError. */
export async function fetchOrExplain(...parameters: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(...parameters)
    if (!isConnected.get()) isConnected.set(true)
    return response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    isConnected.set(false)
    throw new NoConnectionError('The store cannot be reached.', { cause: error })
  }
}

export function isApiError(error: unknown, code?: string): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code)
}

interface Explanation {
  readonly title: string
  /** The remedy. */
  readonly text: string
}

/** Explains any error to the owner: what happened, then what to do. */
export function explain(error: unknown): Explanation {
  if (error instanceof NoConnectionError) {
    return {
      title: 'No connection to the store',
      text: 'Check that this device is connected and that the store is running, then try again.',
    }
  }
  if (!(error instanceof ApiError)) {
    return {
      title: 'This page has a fault',
      text: 'Reload the page. If it happens again, contact the person who set up the store.',
    }
  }
  const { code, status, message, retryAfterSeconds, requestId } = error
  if (status === 429) {
    return { title: 'Too much at once', text: `${waitingTime(retryAfterSeconds)}, then try again.` }
  }
  if (code === 'insufficient_scope' || status === 403) {
    return { title: 'You have no permission for this', text: message }
  }
  if (status === 404) {
    return {
      title: 'This no longer exists',
      text: 'Somebody removed it, or the address is mistyped. Go back to the list.',
    }
  }
  if (status === 412) {
    return { title: 'Somebody changed this meanwhile', text: 'Look at the newest version, then decide what to keep.' }
  }
  if (code === 'invalid_status_transition') {
    return {
      title: 'Somebody changed this meanwhile',
      text: 'It has another status now. Look at the newest version, then decide what to do.',
    }
  }
  if (code === 'idempotency_in_progress') {
    return { title: 'The store is still busy with this', text: 'Wait a moment, then try again.' }
  }
  // Another server failed, such as the mail server.
  if (status === 502) return { title: 'That did not work', text: message }
  if (status === 503) return { title: 'The store cannot do this right now', text: message }
  if (status >= 500) {
    const number = requestId === undefined ? '' : ` Its number in the log is ${requestId}.`
    return {
      title: 'Something went wrong in the store',
      text: `Try again. If it happens again, look at the log.${number}`,
    }
  }
  return { title: 'That did not work', text: message }
}

function waitingTime(seconds: number | undefined): string {
  if (seconds === undefined || seconds < 2) return 'Wait a moment'
  if (seconds < 120) return `Wait ${seconds} seconds`
  return `Wait ${Math.ceil(seconds / 60)} minutes`
}
