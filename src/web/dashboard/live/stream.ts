/**
 * The stream of events that names what changed in the store. It is open while the page is visible and somebody has used it in
 * the last five minutes: browsers open at most six connections to a server over HTTP/1.1, and other tabs and windows would use
 * them up. After an interruption it opens again by itself,
 * and everything on the page is fetched again.
 */

import { invalidateTopics, queryClient } from '../api/queries.ts'
import { loadSession } from '../session/session.ts'

/** How far an import has got. */
export interface ImportProgress {
  readonly importId: number | string
  readonly done: number
  readonly total: number
}

interface Message {
  readonly topics?: readonly string[]
  readonly importId?: number | string
  readonly done?: number
  readonly total?: number
}

type Connection = 'connected' | 'reconnecting'

const firstPauseMs = 500
const longestPauseMs = 5_000
/** A window that nobody uses for so long ends its stream. */
const idleMs = 5 * 60_000
/** What somebody does who looks at the page again. */
const uses = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart', 'focus'] as const

let connection: Connection = 'connected'
const connectionListeners = new Set<() => void>()
const topicListeners = new Set<(topics: readonly string[]) => void>()
const importListeners = new Set<(progress: ImportProgress) => void>()

export const connectionStore = {
  get: () => connection,
  subscribe(listener: () => void) {
    connectionListeners.add(listener)
    return () => connectionListeners.delete(listener)
  },
}

/** Calls the listener with the topics of each change. Queries need no listener: they are invalidated here. */
export function subscribeTopics(listener: (topics: readonly string[]) => void): () => void {
  topicListeners.add(listener)
  return () => topicListeners.delete(listener)
}

export function subscribeImports(listener: (progress: ImportProgress) => void): () => void {
  importListeners.add(listener)
  return () => importListeners.delete(listener)
}

/** Keeps the stream open while the page is visible and used. Returns a function that ends it. */
export function openStream(): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = firstPauseMs
  // Changes before the first connection are unknown too.
  let hasMissed = false
  let isEnded = false
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let isPaused = true

  function open(): void {
    source?.close()
    clearTimeout(timer)
    if (isEnded || isPaused) return
    source = new EventSource('/dashboard/live')
    source.onopen = () => {
      pauseMs = firstPauseMs
      setConnection('connected')
      if (hasMissed) catchUp()
      hasMissed = false
    }
    source.onmessage = ({ data }) => receive(JSON.parse(String(data)) as Message)
    source.onerror = () => {
      source?.close()
      hasMissed = true
      setConnection('reconnecting')
      clearTimeout(timer)
      timer = setTimeout(() => void retry(), pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  /** Finds out first whether the session has ended, which an EventSource does not say. */
  async function retry(): Promise<void> {
    await loadSession().catch(() => {})
    open()
  }

  function pause(): void {
    isPaused = true
    source?.close()
    clearTimeout(timer)
    hasMissed = true
  }

  /** Somebody looks at the page: it is live for the next minutes. */
  function onUse(): void {
    if (document.hidden) return
    clearTimeout(idleTimer)
    idleTimer = setTimeout(pause, idleMs)
    if (!isPaused) return
    isPaused = false
    open()
  }

  const onVisibility = () => (document.hidden ? pause() : onUse())

  document.addEventListener('visibilitychange', onVisibility)
  for (const use of uses) addEventListener(use, onUse, { passive: true, capture: true })
  onUse()
  return () => {
    isEnded = true
    document.removeEventListener('visibilitychange', onVisibility)
    for (const use of uses) removeEventListener(use, onUse, { capture: true })
    clearTimeout(idleTimer)
    clearTimeout(timer)
    source?.close()
    setConnection('connected')
  }
}

function catchUp(): void {
  void queryClient.invalidateQueries()
  for (const listener of topicListeners) listener(['pets', 'orders'])
}

function receive({ topics, importId, done, total }: Message): void {
  if (topics !== undefined) {
    void invalidateTopics(topics)
    for (const listener of topicListeners) listener(topics)
  }
  if (importId !== undefined && done !== undefined && total !== undefined) {
    for (const listener of importListeners) listener({ importId, done, total })
  }
}

function setConnection(next: Connection): void {
  if (connection === next) return
  connection = next
  for (const listener of connectionListeners) listener()
}
