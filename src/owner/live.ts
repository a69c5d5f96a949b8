/**
 * Streams that notify open pages of the dashboard of changes, so that they fetch the data again. A stream ends with its
 * session.
 */

import { createEventStreams } from '../api/event-streams.ts'
import { type Announcements, type Topic, topics } from '../database/announcements.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { createSpacing } from '../lib/spacing.ts'

/** The shortest time between two messages of a stream. */
export const messageStepMs = 1_000
export const streamsInAll = 100
export const streamsOfSession = 20

interface LiveOptions {
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** The ids of the sessions that have not ended. */
  readonly liveSessions: () => ReadonlySet<number>
}

export function createLiveStreams({ announcements, clock, liveSessions }: LiveOptions) {
  const streams = createEventStreams<{ readonly sessionId: number }>({
    clock,
    inAll: streamsInAll,
    ofOwner: streamsOfSession,
    ownerOf: ({ sessionId }) => sessionId,
    // The stream of a device that has vanished stays open for a quarter of an hour.
    replacesOldest: true,
    allowed() {
      const live = liveSessions()
      return ({ sessionId }) => live.has(sessionId)
    },
  })
  const changed = new Set<Topic>()
  const encoder = new TextEncoder()
  const spacing = createSpacing(clock, sendChanges)

  announcements.subscribe(topics, (announced) => {
    if (streams.size() === 0) return
    for (const topic of announced) changed.add(topic)
    spacing.runSoon(messageStepMs)
  })

  function sendChanges(): void {
    const bytes = encoder.encode(`data: ${JSON.stringify({ topics: [...changed] })}\n\n`)
    changed.clear()
    for (const stream of streams.all()) stream.send(bytes)
  }

  return {
    /** Opens a stream that ends when `signal` is aborted. Throws `too_many_streams`. */
    open(sessionId: number, signal: AbortSignal): ReadableStream<Uint8Array> {
      const stream = streams.open({ reader: { sessionId }, signal, greeting: ': connected\n\n' })
      if (stream) return stream
      const message = 'Too many pages of the dashboard are open. Close some of them.'
      throw new AppError('too_many_streams', message, { retryAfterSeconds: 5 })
    },
    /** Ends the streams of sessions that have ended. */
    endSignedOut: streams.endForbidden,
    /** The number of open streams. */
    size: streams.size,
    /** Ends every stream. Afterwards none is opened. */
    close(): void {
      spacing.stop()
      streams.close()
    },
  }
}
export type LiveStreams = ReturnType<typeof createLiveStreams>
