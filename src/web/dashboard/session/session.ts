/**
 * The owner's session. Its cookie is not readable here: the server says whether there is a session. When it ends while a page
 * is open, the state is `expired`: the page stays as it is, with the dialog to sign in again above it, and requests wait.
 */

import { fetchOrExplain, isApiError, NoConnectionError, requireSuccess } from '../api/error.ts'
import { queryClient } from '../api/queries.ts'
import type { Place } from '../settings/commands.ts'
import { createSignal, useSignal } from '../signal.ts'

interface Session {
  readonly owner: { readonly email: string }
  readonly environment: 'production' | 'staging'
  readonly version: string
  /** The account to which new records belong. */
  readonly account: { readonly id: number; readonly name: string }
}

/** The facts that the server reveals without a session. */
export interface Entrance {
  readonly hasOwner: boolean
  readonly environment?: 'production' | 'staging'
  /** How the store runs, and where it is. */
  readonly place?: Place
  /** Whether the owner can get a link for a new password by mail. */
  readonly sendsMail?: boolean
  /** Whether others could read the password in transit; `message` is null if the connection is safe. */
  readonly connection?: { readonly kind: string; readonly message: string | null }
}

type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'unreachable'; readonly error: unknown }
  | { readonly status: 'signed-out'; readonly entrance: Entrance }
  | { readonly status: 'signed-in' | 'expired'; readonly session: Session }

const session = createSignal<SessionState>({ status: 'loading' })
const waiting = new Set<{ resolve(): void; reject(error: unknown): void }>()

function set(next: SessionState): void {
  if (next.status === 'signed-in') for (const one of waiting) one.resolve()
  if (next.status === 'signed-out') for (const one of waiting) one.reject(new SignedOutError('You are signed out.'))
  if (next.status === 'signed-in' || next.status === 'signed-out') waiting.clear()
  session.set(next)
}

/** The person has signed out: requests that waited for the session end. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}

/** Fetches the state of the session. A session that has ended while the page shows it becomes `expired`. */
export async function loadSession(): Promise<void> {
  try {
    set({ status: 'signed-in', session: await fetchDashboard<Session>('GET', '/session') })
  } catch (error) {
    if (isApiError(error) && error.status === 401) {
      expire({ hasOwner: true, ...error.body })
    } else if (['loading', 'unreachable'].includes(session.get().status)) {
      set({ status: 'unreachable', error })
    } else if (!(error instanceof NoConnectionError)) {
      throw error
    }
  }
}

/** There is no session, or it has ended: shows the dialog above the open page, or the page to sign in. */
export function expire(entrance?: Entrance): void {
  const state = session.get()
  if (state.status === 'signed-in') set({ status: 'expired', session: state.session })
  else if (state.status !== 'expired') set({ status: 'signed-out', entrance: entrance ?? { hasOwner: true } })
}

/** Resolves once there is a session again; rejects if the person signs out instead. */
export function untilSignedIn(): Promise<void> {
  if (session.get().status === 'signed-in') return Promise.resolve()
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

/** Shows the sign-in page, and removes all data of the store from memory. */
export function leave(): void {
  set({ status: 'signed-out', entrance: { hasOwner: true } })
  queryClient.clear()
  clearKept()
  void loadSession()
}

/** Sends a request below /dashboard. Throws an ApiError for an error, a NoConnectionError without a response. */
export async function fetchDashboard<T = undefined>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetchOrExplain(`/dashboard${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    cache: 'no-store',
  })
  await requireSuccess(response)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

export function useSessionState(): SessionState {
  return useSignal(session)
}

/** The session of a page that only a signed-in owner sees. */
export function useSession(): Session {
  const state = useSessionState()
  if (state.status !== 'signed-in' && state.status !== 'expired') throw new Error('There is no session.')
  return state.session
}

const all = new Set<Map<number, unknown>>()

interface Kept<T> {
  /** Forms of records are kept by the record's id, forms of new ones without. */
  get(id?: number): T | undefined
  set(value: T | undefined, id?: number): void
}

/** Creates the memory of one kind of form. */
export function createKept<T>(): Kept<T> {
  const values = new Map<number, T>()
  all.add(values)
  return {
    get: (id = 0) => values.get(id),
    set(value, id = 0) {
      if (value === undefined) values.delete(id)
      else values.set(id, value)
    },
  }
}

function clearKept(): void {
  for (const values of all) values.clear()
}
