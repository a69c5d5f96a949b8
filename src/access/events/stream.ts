/**
 * Streams of events (`GET /v1/events/stream`). A stream first reads the stored events after its position, as fast as
 * its reader takes them, and then follows: it sends each new event once that is on disk. Its position separates the
 * two, so that no event is missing or sent twice.
 */

import { createEventStreams, type EventStream } from '../../api/event-streams.ts'
import type { Principal } from '../../api/principal.ts'
import { pathOf } from '../../api/target.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { createSpacing } from '../../lib/spacing.ts'
import type { EventLog, StoredEvent } from './log.ts'
import { type EventFilter, everyEvent, selects, typesOf, visibleEvents } from './rules.ts'
import { toEvent } from './schemas.ts'

export const streamsInAll = 200
export const streamsOfAccount = 10

/**
 * While more streams than this are open, events are gathered for at most `gatheringMs`: each delivery costs one system
 * call per stream.
 */
export const streamsUngathered = 20
export const gatheringMs = 100

/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 2_000

/**
 * A stream ends at this age, in milliseconds: its client may have vanished, and resumes without a gap if it has not.
 */
export const longestStreamMs = 300_000
/** The wait before the next connection that a stream announces when it ends at that age, in milliseconds. */
export const reopeningRetryMs = 100
/** No limit counts a client that connects again so soon after that end, in milliseconds. */
export const reopeningMs = 30_000
/** The wait in seconds of a client that cannot open a stream, if no stream ends because of its age. */
const unknownWaitSeconds = 5

/** A page of stored events, each at most 20 kB, is smaller than `unreadBytes`. */
const storedPage = 50
/** The events that are delivered in one turn of the event loop. */
const deliveredPage = 250

interface Reader {
  readonly principal: Principal
  readonly filter: EventFilter
  /** Equal for equal filters. */
  readonly filterKey: string
  /** The last event that was examined for the stream. */
  position: number
  /** Whether the stored events up to `position` are sent, so that new ones can be. */
  isFollowing: boolean
}

type Stream = EventStream<Reader>

export interface Following {
  readonly principal: Principal
  /** Types, and patterns such as `pet.*`; undefined for every type. */
  readonly types: readonly string[] | undefined
  /** The last event that the client has; undefined to begin with the next event. */
  readonly after: number | undefined
}

interface FollowerParts {
  readonly events: Pick<EventLog, 'newestOnDisk' | 'readAfter' | 'assertKept' | 'onFlushed'>
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  readonly log: Pick<Log, 'error'>
  /** Whether the key of a principal is still valid, with the same scopes, and is not banned. */
  readonly mayFollow: (principal: Principal) => boolean
  /** Whether streams end because of their age. */
  readonly endsOldStreams: boolean
}

export function createFollowers({ events, clock, log, mayFollow, endsOldStreams }: FollowerParts) {
  /** The last ends of streams because of their age, after which no client has connected again. */
  let ended: readonly { readonly accountId: number; readonly atMs: number }[] = []
  const streams = createEventStreams<Reader>({
    clock,
    inAll: streamsInAll,
    ofOwner: streamsOfAccount,
    ownerOf: ({ principal }) => principal.accountId,
    aging: endsOldStreams ? { afterMs: longestStreamMs, end: endOld } : undefined,
    allowed:
      () =>
      ({ principal }) =>
        mayFollow(principal),
    // A client whose events are rare would otherwise resume at an event that was removed long ago.
    heartbeat: ({ position }) => `id: ${position}\n`,
  })
  const encoder = new TextEncoder()
  const spacing = createSpacing(clock, deliver)

  events.onFlushed(deliverSoon)

  function deliverSoon(): void {
    if (streams.size() > 0) spacing.runSoon(streams.size() > streamsUngathered ? gatheringMs : 0)
  }

  function endOld({ principal: { accountId }, position }: Reader): string {
    ended = [...ended, { accountId, atMs: clock.monotonic() }]
    return `retry: ${reopeningRetryMs}\nid: ${position}\n\n`
  }

  /** Sends a stream the next stored events, or finds that it has them all. */
  async function sendStored(stream: Stream): Promise<void> {
    const { reader } = stream
    let hasSent = false
    while (!reader.isFollowing && !hasSent && streams.has(stream)) {
      try {
        events.assertKept(reader.position)
        const { records, searchedTo } = events.readAfter(reader.position, reader.filter, storedPage)
        const last = records.length === storedPage ? records.at(-1)?.id : searchedTo
        reader.isFollowing = last === undefined
        reader.position = last ?? Math.max(reader.position, events.newestOnDisk())
        hasSent = records.length > 0
        if (hasSent) stream.send(encoder.encode(records.map(messageOf).join('')))
      } catch (error) {
        // The client connects again and gets the reason.
        if (!(error instanceof AppError)) log.error('the stored events of a stream could not be read', { error })
        stream.end()
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Sends the new events to the streams that follow. */
  function deliver(): void {
    const newestId = events.newestOnDisk()
    const nowMs = clock.now()
    const behind: Stream[] = []
    for (const stream of streams.all()) {
      const { isFollowing, position, principal } = stream.reader
      if (principal.expiresAtMs <= nowMs) stream.end()
      else if (isFollowing && position < newestId) behind.push(stream)
    }
    if (behind.length === 0) return
    try {
      const from = Math.min(...behind.map(({ reader }) => reader.position))
      const { records, searchedTo } = events.readAfter(from, everyEvent, deliveredPage)
      const to = (records.length === deliveredPage ? records.at(-1)?.id : searchedTo) ?? newestId
      const messages = createMessages(records)
      for (const stream of behind) {
        const { reader } = stream
        const bytes = messages(reader)
        reader.position = Math.max(reader.position, to)
        if (bytes) stream.send(bytes)
      }
      if (to < newestId) setImmediate(deliverSoon)
    } catch (error) {
      log.error('new events could not be read: the streams end, and their clients connect again', { error })
      for (const stream of behind) stream.end()
    }
  }

  /** Returns a function that encodes the records that a reader gets. Most readers have the same filter and position. */
  function createMessages(records: readonly StoredEvent[]) {
    const texts = records.map(messageOf)
    const made = new Map<string, Uint8Array>()
    return ({ filter, filterKey, position }: Reader): Uint8Array | undefined => {
      const key = `${position} ${filterKey}`
      let bytes = made.get(key)
      if (bytes === undefined) {
        const isSent = (record: StoredEvent) => record.id > position && selects(filter, record)
        bytes = encoder.encode(texts.filter((_, i) => isSent(records[i] as StoredEvent)).join(''))
        made.set(key, bytes)
      }
      return bytes.length > 0 ? bytes : undefined
    }
  }

  return {
    /** Returns a function that opens a stream. Throws `events_expired`; the function throws `too_many_streams`. */
    follow({ principal, types, after }: Following): (signal: AbortSignal) => ReadableStream<Uint8Array> {
      if (after !== undefined) events.assertKept(after)
      const filter = visibleEvents(principal, types && typesOf(types))
      const filterKey = [filter.own.size > 0 ? filter.accountId : '', ...filter.all, '', ...filter.own].join(' ')
      return (signal) => {
        const position = after ?? events.newestOnDisk()
        const reader: Reader = { principal, filter, filterKey, position, isFollowing: after === undefined }
        // With its id a client resumes here, even if it has received no event.
        const greeting = `retry: ${retryMs}\nid: ${position}\n\n`
        const stream = streams.open({ reader, signal, greeting, onRead: sendStored })
        if (stream) return stream
        const waitMs = streams.placeInMs(reader)
        const retryAfterSeconds = waitMs === undefined ? unknownWaitSeconds : Math.max(1, Math.ceil(waitMs / 1_000))
        const message = `Too many streams of events are open: ${streamsOfAccount} of an account, ${streamsInAll} in all. Close one, or try again in ${retryAfterSeconds} seconds.`
        throw new AppError('too_many_streams', message, { retryAfterSeconds })
      }
    },
    /**
     * Whether a request reopens a stream that has just ended because of its age: no limit counts it. Each such end
     * allows one.
     */
    isReopening(request: Request, { accountId }: Principal): boolean {
      if (ended.length === 0) return false
      // Not read before: each of them costs every request of the API more than the check.
      const { method, url, headers } = request
      const sinceMs = clock.monotonic() - reopeningMs
      ended = ended.filter(({ atMs }) => atMs >= sinceMs)
      if (method !== 'GET' || !headers.has('last-event-id') || pathOf(url) !== '/v1/events/stream') return false
      const before = ended.find((one) => one.accountId === accountId)
      ended = ended.filter((one) => one !== before)
      return before !== undefined
    },
    /** Ends the streams of keys that were revoked, changed or banned. */
    endForbidden: streams.endForbidden,
    /** The number of open streams. */
    size: streams.size,
    /** Ends every stream and opens no more. */
    close(): void {
      spacing.stop()
      streams.close()
    },
  }
}
export type Followers = ReturnType<typeof createFollowers>

/** An event as a message. JSON has no line breaks. */
function messageOf(stored: StoredEvent): string {
  return `id: ${stored.id}\nevent: ${stored.type}\ndata: ${JSON.stringify(toEvent(stored))}\n\n`
}
