/** The session for components. */

import { useSyncExternalStore } from 'react'
import { type Session, type SessionState, sessionStore } from './session.ts'

export function useSessionState(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.get)
}

/** The session of a page that only a signed-in owner sees. */
export function useSession(): Session {
  const state = useSessionState()
  if (state.status !== 'signed-in' && state.status !== 'expired') throw new Error('There is no session.')
  return state.session
}
