/**
 * The token for /v1, for which the session is traded. It is kept only in memory and is valid for ten minutes. When the
 * session has ended, requests wait until the owner signs in again.
 */

import { expire, fetchDashboard, untilSignedIn } from '../session/session.ts'
import { isApiError } from './error.ts'

/** A token that expires sooner is renewed before it is used. */
const reserveMs = 30_000
const lifetimeMs = 10 * 60_000

let current: { readonly token: string; readonly endsAt: number } | undefined
let pending: Promise<string> | undefined

/** A valid token. Throws a SignedOutError if the person signs out instead of signing in again. */
export function bearer(): Promise<string> {
  if (current !== undefined && current.endsAt - performance.now() > reserveMs) return Promise.resolve(current.token)
  pending ??= trade().finally(() => {
    pending = undefined
  })
  return pending
}

/** The server rejected `token`: the next request gets another. */
export function discard(token: string): void {
  if (current?.token === token) current = undefined
}

async function trade(): Promise<string> {
  for (;;) {
    // The clocks of this device and of the server can differ: the token's lifetime is measured from here.
    const askedAt = performance.now()
    try {
      // A session ends after seven days without input: renewals by an open page do not count.
      const body = { isActive: hasBeenActive() }
      const { token } = await fetchDashboard<{ token: string }>('POST', '/token', body)
      current = { token, endsAt: askedAt + lifetimeMs }
      return token
    } catch (error) {
      if (!(isApiError(error) && error.status === 401)) throw error
      expire()
      await untilSignedIn()
    }
  }
}

let isActive = true
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(
    type,
    () => {
      isActive = true
    },
    { passive: true, capture: true },
  )
}

/** Whether there was input since the last call. */
function hasBeenActive(): boolean {
  const wasActive = isActive
  isActive = false
  return wasActive
}
