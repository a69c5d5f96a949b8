/**
 * The stream of events that names what changed in the store. It is open while the page is visible and was used in the last five
 * minutes: browsers open at most six connections to a server over HTTP/1.1, and other tabs and windows would use them up.
 * After an interruption it reconnects, and everything on the page is fetched again.
 */

import { loadSession } from '../session/session.ts'
import { createSignal } from '../signal.ts'
import { invalidateTopics, queryClient } from './queries.ts'

type Message = { readonly topics: readonly string[] }

const firstPauseMs = 500
const longestPauseMs = 5_000
/** A window that is idle for this long closes its stream. */
const idleMs = 5 * 60_000
/** The events that show that the page is used. */
const uses = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart', 'focus'] as const

/** Whether the stream was interrupted and is reconnecting. */
export const isReconnecting = createSignal(false)
/** Counts the changes of animals and profiles elsewhere, for the list of animals; queries are refetched anyway. */
export const petChanges = createSignal(0)

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
      isReconnecting.set(false)
      if (hasMissed) catchUp()
      hasMissed = false
    }
    source.onmessage = ({ data }) => receive(JSON.parse(String(data)) as Message)
    source.onerror = () => {
      source?.close()
      hasMissed = true
      isReconnecting.set(true)
      clearTimeout(timer)
      timer = setTimeout(() => void retry(), pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  /** First checks whether the session has ended, which an EventSource does not report. */
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
    isReconnecting.set(false)
  }
}

function catchUp(): void {
  void queryClient.invalidateQueries()
  petChanges.set(petChanges.get() + 1)
}

function receive({ topics }: Message): void {
  void invalidateTopics(topics)
  if (topics.includes('pets') || topics.includes('profiles')) petChanges.set(petChanges.get() + 1)
}
