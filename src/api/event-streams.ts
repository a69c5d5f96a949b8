/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): responses that stay open and
 * report what happens. This file opens them and keeps them alive. It ends those whose reader has gone, is too slow or
 * may no longer read, and those that are too old, because a client can vanish without a sign. No reader misses
 * anything: its client connects again and says what it has received.
 */

import type { Cancel, Clock } from '../lib/clock.ts'
import { contextOf } from './context.ts'
import type { OpenStream } from './endpoint.ts'

/** Proxies and browsers close a connection on which nothing happens. */
export const heartbeatMs = 15_000

/** A reader that leaves more bytes than this unread has gone or is too slow. */
export const unreadBytes = 1_048_576

const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // nginx would collect the messages.
  'x-accel-buffering': 'no',
} as const

/** The response with a stream; HEAD gets its headers, and opens none. */
export function sendEvents(request: Request, open: OpenStream, own: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...own, ...eventStreamHeaders }
  const context = contextOf(request)
  if (request.method === 'HEAD') {
    if (context) context.isLengthUnknown = true
    return new Response(null, { headers })
  }
  const body = open(request.signal)
  context?.peer.timeout?.(request, 0)
  return new Response(body, { headers })
}

/** Ends streams because of their age. */
export interface Aging<Reader> {
  readonly afterMs: number
  /** Called when a stream has reached that age; returns the last text that it sends. */
  readonly end: (reader: Reader) => string
}

export interface EventStreamsOptions<Reader> {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** The maximum number of open streams. */
  readonly inAll: number
  /** The maximum number of open streams of one owner. */
  readonly ofOwner: number
  readonly ownerOf: (reader: Reader) => number
  /** Whether the oldest stream of an owner who has as many as possible gives way to a new one. */
  readonly replacesOldest?: boolean
  /** Undefined if streams may have any age. */
  readonly aging?: Aging<Reader> | undefined
  /** Returns a function that says whether a reader may continue to read. Called before every heartbeat. */
  readonly allowed: () => (reader: Reader) => boolean
  /** The lines of a heartbeat besides its comment. */
  readonly heartbeat?: (reader: Reader) => string
}

export interface EventStream<Reader> {
  readonly reader: Reader
  /** When it was opened, in milliseconds of the monotonic clock. */
  readonly openedMs: number
  /** Ends the stream instead if its reader has left too much unread. */
  send(bytes: Uint8Array): void
  end(): void
}

export interface Opening<Reader> {
  readonly reader: Reader
  /** Ends the stream when it is aborted. */
  readonly signal: AbortSignal
  /** The first text. It makes the server send the headers. */
  readonly greeting: string
  /** Called when the reader has read everything that was sent, and not again before it has resolved. */
  readonly onRead?: (stream: EventStream<Reader>) => Promise<void>
}

export function createEventStreams<Reader>(options: EventStreamsOptions<Reader>) {
  const { clock, inAll, ofOwner, ownerOf, replacesOldest, aging, allowed, heartbeat = () => '' } = options
  const streams = new Set<EventStream<Reader>>()
  const encoder = new TextEncoder()
  let isClosed = false
  let cancelHeartbeat: Cancel = () => {}

  function endForbidden(): void {
    const isAllowed = allowed()
    for (const stream of streams) if (!isAllowed(stream.reader)) stream.end()
  }

  function beat(): void {
    endForbidden()
    for (const stream of streams) stream.send(encoder.encode(`: heartbeat\n${heartbeat(stream.reader)}\n`))
    if (streams.size > 0) cancelHeartbeat = clock.after(heartbeatMs, beat)
  }

  function begin(reader: Reader, controller: ReadableStreamDefaultController<Uint8Array>): EventStream<Reader> {
    const stream: EventStream<Reader> = {
      reader,
      openedMs: clock.monotonic(),
      send(bytes) {
        if (!streams.has(stream)) return
        if (-(controller.desiredSize ?? 0) > unreadBytes) stream.end()
        else controller.enqueue(bytes)
      },
      end() {
        if (!streams.delete(stream)) return
        if (streams.size === 0) cancelHeartbeat()
        cancelAging()
        try {
          controller.close()
        } catch {
          // The reader has closed it.
        }
      },
    }
    streams.add(stream)
    if (streams.size === 1) cancelHeartbeat = clock.after(heartbeatMs, beat)
    const cancelAging = aging ? clock.after(aging.afterMs, () => endOld(stream, aging)) : () => {}
    return stream
  }

  function endOld(stream: EventStream<Reader>, { end }: Aging<Reader>): void {
    stream.send(encoder.encode(end(stream.reader)))
    stream.end()
  }

  /** The streams of the owner of `reader`, the oldest first. */
  function ownStreams(reader: Reader): EventStream<Reader>[] {
    return [...streams].filter((stream) => ownerOf(stream.reader) === ownerOf(reader))
  }

  return {
    /** Opens a stream; undefined if there are too many already, or the server stops. */
    open({ reader, signal, greeting, onRead }: Opening<Reader>): ReadableStream<Uint8Array> | undefined {
      const own = ownStreams(reader)
      if (replacesOldest && own.length >= ofOwner) own.shift()?.end()
      if (isClosed || streams.size >= inAll || own.length >= ofOwner) return undefined
      let stream: EventStream<Reader> | undefined
      const end = () => stream?.end()
      signal.addEventListener('abort', end, { once: true })
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = begin(reader, controller)
            stream.send(encoder.encode(greeting))
            if (signal.aborted) stream.end()
          },
          pull: () => stream && onRead?.(stream),
          cancel: end,
        },
        // Nothing is produced ahead of the reader, and what it leaves unread is counted in bytes.
        new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
      )
    },
    /**
     * Milliseconds until a stream ends because of its age and `reader` can open one: the oldest of its owner, if it has
     * as many as possible, else the oldest of all. Undefined if no stream ends because of its age.
     */
    placeInMs(reader: Reader): number | undefined {
      const own = ownStreams(reader)
      const [oldest] = own.length >= ofOwner ? own : streams
      return oldest && aging && oldest.openedMs + aging.afterMs - clock.monotonic()
    },
    /** Every open stream. */
    all: (): Iterable<EventStream<Reader>> => streams,
    /** Ends the streams of readers that may no longer read. */
    endForbidden,
    /** Whether a stream is open. */
    has: (stream: EventStream<Reader>) => streams.has(stream),
    /** The number of open streams. */
    size: () => streams.size,
    /**
     * Ends every stream and opens no more. A server that stops calls it first, because it would wait for open streams.
     */
    close(): void {
      isClosed = true
      for (const stream of streams) stream.end()
    },
  }
}
