/** Calls the API as a command does: without a key and without limits. */

import { attachCommand } from '../../api/context.ts'
import type { Site } from '../../api/host.ts'
import type { Clock } from '../../lib/clock.ts'
import { invalid } from './options.ts'

export interface CallParts {
  readonly api: { readonly fetch: Site }
  readonly clock: Pick<Clock, 'monotonic'>
}

/** The function throws `invalid_body` with the message of a rejection, which begins with `subject`. */
export function createCommandCalls({ api, clock }: CallParts) {
  return async <T>(method: 'POST' | 'PUT', path: string, body: unknown, subject: string): Promise<T> => {
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost/v1${path}`, { method, headers, body: JSON.stringify(body) ?? '' })
    attachCommand(request, clock.monotonic())
    const response = await api.fetch(request)
    if (response.ok) return (await response.json()) as T
    const { message } = (await response.json()) as { message: string }
    throw invalid(`${subject}: ${message}`)
  }
}
