/**
 * The owner's session, as the page knows it. The cookie that proves it is not readable here: the server says whether there
 * is a session. When it ends while a page is open, the state is `expired`: the page stays as it is, with the dialog to sign
 * in again above it, and requests wait for that.
 */

import { type ApiError, isApiError, NoConnectionError } from '../api/error.ts'
import { queryClient } from '../api/queries.ts'
import { clearKept } from './kept.ts'
import { fetchDashboard } from './request.ts'

export interface Session {
  readonly owner: { readonly email: string }
  readonly environment: 'production' | 'staging'
  readonly version: string
  /** The account that owns what is made here. */
  readonly account: { readonly id: number; readonly name: string }
  readonly session: { readonly id: number; readonly createdAt: string }
}

/** The facts that a browser without a session may know too. */
export interface Entrance {
  readonly hasOwner: boolean
  readonly environment?: 'production' | 'staging'
  /** Whether the owner can get a link for a new password by mail. */
  readonly sendsMail?: boolean
  /** Whether others could read the password on its way; `message` is null where it is safe. */
  readonly connection?: { readonly kind: string; readonly message: string | null }
}

export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'unreachable'; readonly error: unknown }
  | { readonly status: 'signed-out'; readonly entrance: Entrance }
  | { readonly status: 'signed-in' | 'expired'; readonly session: Session }

let state: SessionState = { status: 'loading' }
const listeners = new Set<() => void>()
const waiting = new Set<{ resolve(): void; reject(error: unknown): void }>()

export const sessionStore = {
  get: (): SessionState => state,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function set(next: SessionState): void {
  state = next
  if (next.status === 'signed-in') for (const one of waiting) one.resolve()
  if (next.status === 'signed-out') for (const one of waiting) one.reject(new SignedOutError('You are signed out.'))
  if (next.status === 'signed-in' || next.status === 'signed-out') waiting.clear()
  for (const listener of listeners) listener()
}

/** The person has signed out: requests that waited for the session end. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}

/** Fetches the state of the session. A session that has ended while the page shows it becomes `expired`. */
export async function loadSession(): Promise<void> {
  try {
    const session = await fetchDashboard<Session>('GET', '/session')
    set({ status: 'signed-in', session })
  } catch (error) {
    if (isApiError(error) && error.status === 401) {
      expire(entranceOf(error.body))
    } else if (state.status === 'loading' || state.status === 'unreachable') {
      set({ status: 'unreachable', error })
    } else if (!(error instanceof NoConnectionError)) {
      throw error
    }
  }
}

/** What the response to a browser without a session says. */
function entranceOf({ hasOwner, environment, sendsMail, connection }: ApiError['body']): Entrance {
  return {
    hasOwner: hasOwner !== false,
    sendsMail: sendsMail === true,
    ...(environment === 'staging' || environment === 'production' ? { environment } : {}),
    ...(isConnection(connection) ? { connection } : {}),
  }
}

function isConnection(value: unknown): value is NonNullable<Entrance['connection']> {
  return typeof value === 'object' && value !== null && 'kind' in value && 'message' in value
}

/** There is no session, or it has ended: shows the dialog above the open page, or the page to sign in. */
export function expire(entrance?: Entrance): void {
  if (state.status === 'signed-in') set({ status: 'expired', session: state.session })
  else if (state.status !== 'expired') set({ status: 'signed-out', entrance: entrance ?? { hasOwner: true } })
}

/** Resolves once there is a session again; rejects if the person signs out instead. */
export function untilSignedIn(): Promise<void> {
  if (state.status === 'signed-in') return Promise.resolve()
  return new Promise((resolve, reject) => waiting.add({ resolve, reject }))
}

export async function signIn(email: string, password: string): Promise<void> {
  set({ status: 'signed-in', session: await fetchDashboard<Session>('POST', '/sign-in', { email, password }) })
}

/** Makes the owner with the token of the set-up link, and signs in. */
export async function setUp(token: string, email: string, password: string): Promise<void> {
  set({ status: 'signed-in', session: await fetchDashboard<Session>('POST', '/setup', { token, email, password }) })
}

export interface SetupLink {
  readonly isUsable: boolean
  readonly hasOwner: boolean
  /** Of the owner who chooses a new password with the link. */
  readonly email?: string
}

/** Whether the token of a set-up link makes an owner now, and whether the store has one. The token is not used up. */
export function checkSetupLink(token: string): Promise<SetupLink> {
  return fetchDashboard('POST', '/setup-link', { token })
}

export async function signOut(everywhere = false): Promise<void> {
  await fetchDashboard('POST', everywhere ? '/sign-out-everywhere' : '/sign-out').catch((error) => {
    // Without a session there is nothing left to end.
    if (!(isApiError(error) && error.status === 401)) throw error
  })
  leave()
}

/** Shows the page to sign in; nothing of the store stays in memory. */
export function leave(): void {
  set({ status: 'signed-out', entrance: { hasOwner: true } })
  queryClient.clear()
  clearKept()
  void loadSession()
}
