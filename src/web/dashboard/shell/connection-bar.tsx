/** Says that the store cannot be reached at the moment. */

import { useEffect, useState, useSyncExternalStore } from 'react'
import { connectionStore } from '../live/stream.ts'
import { useSessionState } from '../session/use-session.ts'

/** Shorter interruptions pass without a word. */
const graceMs = 1_000

export function ConnectionBar() {
  const connection = useSyncExternalStore(connectionStore.subscribe, connectionStore.get)
  const isExpired = useSessionState().status === 'expired'
  const isInterrupted = connection === 'reconnecting' && !isExpired
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isInterrupted) {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), graceMs)
    return () => clearTimeout(timer)
  }, [isInterrupted])
  return (
    <div role="status">
      {isShown && (
        <div className="connection-bar">
          <span className="connection-dot" aria-hidden="true" />
          Reconnecting… The store cannot be reached. This page continues by itself.
        </div>
      )}
    </div>
  )
}
