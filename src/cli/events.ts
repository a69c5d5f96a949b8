/** `petstore events …`: lists what has changed, and follows it. */

import { typePatterns } from '../access/events/rules.ts'
import type { Event } from '../access/events/schemas.ts'
import { reopeningRetryMs } from '../access/events/stream.ts'
import { heartbeatMs } from '../api/event-streams.ts'
import { maximumId } from '../api/schemas.ts'
import { type OptionSpecs, repeatable } from '../config/options.ts'
import { list, type OptionValues, oneOf, text, wholeNumber } from '../config/values.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { AppError, type ErrorCode } from '../lib/error.ts'
import { printable } from '../lib/log.ts'
import type { Client } from './client/api-client.ts'
import { callAndPrint, withServer } from './client/client.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { localTime, paint } from './terminal/output.ts'

const selectionOptions = {
  types: {
    ...repeatable,
    value: 'TYPES',
    help: 'only events of these types; pet.* stands for all that begin with pet.; repeatable, or several separated by commas',
    default: 'all',
    choices: typePatterns,
  },
} as const satisfies OptionSpecs

export const eventsList: Command = {
  name: 'events list',
  summary: 'list what has changed, the newest last',
  details:
    'Events are kept for 30 days, the last 100,000 at most. A line has the id of the event, its time on this machine, its type, the record, and what has changed. --json prints an array of the events of the API.',
  options: {
    ...selectionOptions,
    after: {
      value: 'ID',
      help: 'the events after this one; 0 stands for the oldest',
      default: 'the newest events',
    },
    limit: { value: 'N', help: 'the maximum number of events, at most 100', default: '20' },
  },
  examples: [
    'events list',
    "events list --types 'pet.*,order.placed' --limit 100",
    'events list --after 1795169700000000 --json',
  ],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const after = afterOf(values)
    const limit = wholeNumber('--limit', text(values, 'limit') ?? '20', 1, 100)
    const selection = { ...selectionOf(values), limit, ...(after === undefined ? { order: 'desc' } : { after }) }
    return await callAndPrint(invocation, async (client) => {
      const page = await client.call<Event[]>('GET', pathOf('/events', selection))
      const events = after === undefined ? page.toReversed() : page
      const none = after === undefined ? 'There are no events yet.' : `There are no events after event ${after}.`
      const lines = events.map((event) => lineOf(event, terminal)).join('')
      return { result: events, words: lines || none }
    })
  },
}

export const eventsTail: Command = {
  name: 'events tail',
  summary: 'print each event as it happens',
  details:
    'Runs until it is interrupted. If the connection is lost, it reconnects and continues after the last event, so that none is missed. --json prints one event per line (JSON Lines), because the output has no end.',
  options: {
    ...selectionOptions,
    after: {
      value: 'ID',
      help: 'start with the events after this one; 0 stands for the oldest',
      default: 'new events only',
    },
  },
  examples: [
    'events tail',
    "events tail --types 'order.*' --json | jq .data.petName",
    'events tail --after 0 --url https://api.shop.example',
  ],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    const after = afterOf(values)
    const query = { ...selectionOf(values), ...(after === undefined ? {} : { after }) }
    const print = (event: Event) =>
      terminal.write(values['json'] ? `${JSON.stringify(event)}\n` : lineOf(event, terminal))
    return await withServer(invocation, (client) => follow(client, query, print, terminal))
  },
}

/** The selection of events as a query. Throws `UsageError` for an unknown type. */
const selectionOf = (values: OptionValues) => {
  const types = list(values, 'types').map((type) => oneOf('types', typePatterns, type))
  return types.length > 0 ? { types: types.join(',') } : {}
}

function afterOf(values: OptionValues): number | undefined {
  const given = text(values, 'after')
  return given === undefined ? undefined : wholeNumber('--after', given, 0, maximumId)
}

type Query = Readonly<Record<string, string | number>>

function pathOf(path: string, query: Query): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`
}

/** The pauses before the attempts to connect again, in milliseconds; the last one repeats. */
const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000]

/** Errors that are temporary. Any other, such as that of a revoked key, ends the command. */
const temporary: ReadonlySet<ErrorCode> = new Set([
  'storage_unavailable',
  'internal_error',
  'too_busy',
  'too_many_streams',
  'rate_limit_exceeded',
  'daily_quota_exceeded',
  'key_banned',
])

/** Never returns; throws what ends it. A first connection that fails is not tried again. Exported for its test. */
export async function follow(
  client: Client,
  query: Query,
  print: (event: Event) => Promise<void>,
  terminal: Terminal,
): Promise<never> {
  const path = pathOf('/events/stream', query)
  /** The last event of the stream. */
  let position: number | undefined
  let hasConnected = false
  let failures = 0
  for (;;) {
    try {
      const headers = position === undefined ? {} : { 'Last-Event-ID': String(position) }
      const { chunks } = await client.download(path, headers)
      if (failures > 0) terminal.err('petstore: Reconnected.\n')
      hasConnected = true
      failures = 0
      let retryMs: number | undefined
      for await (const message of messagesOf(timely(chunks))) {
        if (message.data !== undefined) await print(JSON.parse(message.data) as Event)
        position = message.id ?? position
        retryMs = message.retryMs
      }
      // It has ended because of its age.
      if (retryMs === reopeningRetryMs) {
        await Bun.sleep(reopeningRetryMs)
        continue
      }
      terminal.err('petstore: The connection was lost. Reconnecting.\n')
    } catch (error) {
      if (!hasConnected || !(error instanceof AppError && temporary.has(error.code))) throw error
      if (failures === 0) terminal.err(`petstore: ${printable(error.message)} Reconnecting.\n`)
    }
    await Bun.sleep(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0)
    failures++
  }
}

/**
 * The pieces of a stream. Throws `storage_unavailable` when three heartbeats are missing: the server's machine may be
 * gone. Exported for its test.
 */
export async function* timely(
  pieces: AsyncIterable<Uint8Array>,
  clock: Pick<Clock, 'after'> = systemClock,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const silent = Promise.withResolvers<never>()
      silent.promise.catch(() => {})
      const cancel = clock.after(3 * heartbeatMs, () =>
        silent.reject(new AppError('storage_unavailable', 'The server is silent.')),
      )
      const { value, done } = await Promise.race([iterator.next(), silent.promise]).finally(cancel)
      if (done === true) return
      yield value
    }
  } finally {
    // Closes the connection, also of a silent server that continues: it would count as one of the account's streams.
    iterator.return?.().catch(() => {})
  }
}

interface Message {
  readonly id: number | undefined
  /** How long a client waits before it connects again, if the message says so. */
  readonly retryMs: number | undefined
  readonly data: string | undefined
}

/** The messages of an event stream, those without data too. Exported for its test. */
export async function* messagesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of pieces) {
    const parts = (text + decoder.decode(piece, { stream: true })).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
      const numberIn = (name: string) => (field(name) === undefined ? undefined : Number(field(name)))
      yield { id: numberIn('id'), retryMs: numberIn('retry'), data: field('data') }
    }
  }
}

/** One line: id, time, type, the record, and what has changed. */
function lineOf(event: Event, { colours }: Pick<Terminal, 'colours'>): string {
  const seconds = event.createdAt.slice('2026-11-20T14:05'.length, '2026-11-20T14:05:07'.length)
  const words = [localTime(event.createdAt) + seconds, event.type.padEnd(18), recordOf(event), changesOf(event)]
  const shown = printable(words.filter((word) => word !== '').join('  ')).trimEnd()
  return `${paint(String(event.id), colours ? 'dim' : undefined)}  ${shown}\n`
}

function recordOf({ data }: Event): string {
  const record = data as Readonly<Record<string, unknown>>
  const name = record['name'] ?? record['petName'] ?? record['hostname'] ?? record['slug']
  return [record['id'], name].filter((word) => word !== undefined && word !== null).join(' ')
}

function changesOf({ data, previous = {} }: Event): string {
  const record = data as Readonly<Record<string, unknown>>
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.entries(previous)
    .map(([name, value]) => `${name}: ${shown(value)} → ${shown(record[name])}`)
    .join(', ')
}
