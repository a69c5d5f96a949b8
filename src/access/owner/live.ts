/**
 * Event streams that tell open pages of the dashboard what has changed, so that they fetch it again (server-sent events,
 * https://html.spec.whatwg.org/multipage/server-sent-events.html). A stream ends with its session.
 */

import { type Announcements, type Topic, topics } from '../../database/announcements.ts'
import type { Cancel, Clock } from '../../lib/clock.ts'

/** The shortest time between two messages of a stream. */
export const messageStepMs = 1_000
/** Proxies and browsers close a connection on which nothing happens. */
export const heartbeatMs = 15_000
export const streamsInAll = 100
export const streamsOfSession = 20

/** A reader that has left this many messages unread is gone, or too slow to follow. */
const unreadAtMost = 100

export interface ImportProgress {
  readonly importId: number
  /** Rows that have been processed, and all rows. */
  readonly done: number
  readonly total: number
}

export interface LiveOptions {
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** The ids of the sessions that have not ended. */
  readonly liveSessions: () => ReadonlySet<number>
}

interface Stream {
  readonly sessionId: number
  readonly controller: ReadableStreamDefaultController<Uint8Array>
}

export function createLiveStreams({ announcements, clock, liveSessions }: LiveOptions) {
  const streams = new Set<Stream>()
  const changed = new Set<Topic>()
  const progress = new Map<number, ImportProgress>()
  const encoder = new TextEncoder()
  let isClosed = false
  let lastMessageMs = Number.NEGATIVE_INFINITY
  let cancelMessage: Cancel | undefined
  let cancelHeartbeat: Cancel = () => {}

  announcements.subscribe(topics, (announced) => {
    if (streams.size === 0) return
    for (const topic of announced) changed.add(topic)
    sendSoon()
  })

  function sendSoon(): void {
    if (cancelMessage) return
    const waitMs = lastMessageMs + messageStepMs - clock.monotonic()
    if (waitMs <= 0) sendChanges()
    else cancelMessage = clock.after(waitMs, sendChanges)
  }

  function sendChanges(): void {
    cancelMessage = undefined
    lastMessageMs = clock.monotonic()
    const messages = [...(changed.size > 0 ? [{ topics: [...changed] }] : []), ...progress.values()]
    changed.clear()
    progress.clear()
    sendAll(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''))
  }

  function sendAll(text: string): void {
    const bytes = encoder.encode(text)
    for (const stream of streams) {
      if ((stream.controller.desiredSize ?? 0) < -unreadAtMost) end(stream)
      else stream.controller.enqueue(bytes)
    }
  }

  function beat(): void {
    keepSessions(liveSessions())
    sendAll(': heartbeat\n\n')
    if (streams.size > 0) cancelHeartbeat = clock.after(heartbeatMs, beat)
  }

  function end(stream: Stream): void {
    if (!streams.delete(stream)) return
    try {
      stream.controller.close()
    } catch {
      // The browser has closed it.
    }
    if (streams.size === 0) cancelHeartbeat()
  }

  function keepSessions(live: ReadonlySet<number>): void {
    for (const stream of streams) if (!live.has(stream.sessionId)) end(stream)
  }

  return {
    /** Opens a stream that ends when `signal` is aborted; undefined if there are too many already. */
    open(sessionId: number, signal: AbortSignal): ReadableStream<Uint8Array> | undefined {
      const ofSession = [...streams].filter((stream) => stream.sessionId === sessionId)
      if (isClosed || streams.size >= streamsInAll || ofSession.length >= streamsOfSession) return undefined
      let stream: Stream | undefined
      const close = () => stream && end(stream)
      signal.addEventListener('abort', close, { once: true })
      return new ReadableStream<Uint8Array>({
        start(controller) {
          stream = { sessionId, controller }
          streams.add(stream)
          // The first bytes make the server send the headers.
          controller.enqueue(encoder.encode(': connected\n\n'))
          if (streams.size === 1) cancelHeartbeat = clock.after(heartbeatMs, beat)
        },
        cancel: close,
      })
    },
    /** Tells every page how far an import has got. */
    reportImport(imported: ImportProgress): void {
      if (streams.size === 0) return
      progress.set(imported.importId, imported)
      sendSoon()
    },
    /** Ends the streams of every session that is not in `live`. */
    keepSessions,
    /** The number of open streams. */
    size: () => streams.size,
    /** Ends every stream and opens no more. A server that stops calls it first: a stream never ends by itself. */
    close(): void {
      isClosed = true
      cancelMessage?.()
      for (const stream of streams) end(stream)
    },
  }
}
export type LiveStreams = ReturnType<typeof createLiveStreams>
