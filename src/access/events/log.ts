/**
 * The log of events: what has changed, in the order of the commits. An event is written in the transaction of its
 * change, so that neither exists without the other. It is published once that transaction is on disk, never before.
 */

import type { Database } from 'bun:sqlite'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { collectMatches, type IdRange, type Matches, pageRange, type RecordScan } from '../../lib/steps/collect.ts'
import { changedMembers, type EventFilter, type EventType } from './rules.ts'

/** An event as it is stored: `data` and `previous` are JSON texts. */
export interface StoredEvent {
  readonly id: number
  readonly type: EventType
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly accountId: number | null
  readonly requestId: string | null
  readonly data: string
  readonly previous: string | null
}

/** How long an event is kept, in milliseconds: 30 days. */
export const keptMs = 30 * 86_400_000

/** The maximum number of events that are kept, and of the bytes of all but the oldest of them. */
export interface EventLimits {
  readonly events: number
  readonly bytes: number
}
/** 64 MiB with the oldest, which has at most 20 kB. */
const keptAtMost: EventLimits = { events: 100_000, bytes: 64 * 1024 * 1024 - 32_768 }

export interface EventLogOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** The id of the request whose change is being made; null if none is. */
  readonly requestId: () => string | null
  readonly limits?: EventLimits
  /** The number of events that are examined at a time. */
  readonly windowSize?: number
}

const defaults: EventLogOptions = { clock: systemClock, requestId: () => null }

/** The last event that was written. */
type Position = Readonly<Record<'id' | 'number' | 'bytes', number>>

/** The bytes of an event besides its data. */
const rowBytes = 80

/** The largest gap that a start leaves after the last event if its clock is behind that event: about an hour. */
const largestGap = 2 ** 32

/** Later times, from the year 2255 on, cannot be ids: every JSON parser has to read an id exactly. */
const latestId = Number.MAX_SAFE_INTEGER - 2 ** 40

/** Examining so many events takes about a millisecond. */
const eventsAtATime = 4_096

const columns =
  'id, type, created_at AS createdAt, account_id AS accountId, request_id AS requestId, data, previous FROM events'
const isSelected = `(type IN (SELECT value FROM json_each(?3))
  OR (account_id = ?5 AND type IN (SELECT value FROM json_each(?4))))`

export function createEventLog(
  connection: Database,
  { clock, requestId, limits = keptAtMost, windowSize = eventsAtATime }: EventLogOptions = defaults,
) {
  const insert = connection.prepare<
    never,
    [number, string, number, number | null, string | null, string, string | null, number, number]
  >('INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)')
  const newest = connection.prepare<Position, []>('SELECT id, number, bytes FROM events ORDER BY id DESC LIMIT 1')
  // The newest event stays: a client that has it has missed nothing, however long ago that was.
  const oldest = connection.prepare<Position & { createdAt: number }, [number]>(
    `SELECT id, number, bytes, created_at AS createdAt FROM events WHERE id < (SELECT max(id) FROM events)
     ORDER BY id LIMIT ?1`,
  )
  const byId = connection.prepare<StoredEvent, [number]>(`SELECT ${columns} WHERE id = ?1`)
  const scanOf = createScans(connection, windowSize)
  const removeTo = connection.prepare<never, [number]>('DELETE FROM events WHERE id <= ?1')
  const listeners: ((newestId: number) => void)[] = []
  /** Its values are not used again if the transaction is rolled back. */
  let last: Position | undefined
  let onDisk = 0

  /** The id of the time, 0 if there is none. */
  function idOf(nowMs: number): number {
    const id = Math.floor(nowMs * 1_000)
    return id <= latestId ? id : 0
  }

  /** The last event of this run or an earlier one. What an earlier run has left is on disk. */
  function lastWritten(): Position {
    if (last === undefined) {
      const { id, number, bytes } = newest.get() ?? { id: 0, number: 0, bytes: 0 }
      onDisk = id
      // If an older copy was restored, other events had followed that one. If time does not separate their ids from
      // new ones, a random gap does.
      last = { id: id > idOf(clock.now()) ? id + Math.floor(Math.random() * largestGap) : id, number, bytes }
    }
    return last
  }

  function newestOnDisk(): number {
    lastWritten()
    return onDisk
  }

  /**
   * At most `limit` events of a range that `filter` selects, in its order. If they are rare, a page can be short; it
   * then has `searchedTo`, the id after which the search continues.
   */
  function page(range: IdRange, filter: EventFilter, limit: number): Matches<StoredEvent> {
    const known = { ...range, below: Math.min(range.below, newestOnDisk() + 1) }
    return collectMatches(scanOf(filter), known, limit, () => true, clock.monotonic)
  }

  function find(id: number): StoredEvent | undefined {
    return id <= newestOnDisk() ? (byId.get(id) ?? undefined) : undefined
  }

  /** The id up to which the `most` oldest events are too old or too many; undefined if none is. */
  function lastOld(until: number, most: number): number | undefined {
    const { number, bytes } = lastWritten()
    let id: number | undefined
    for (const row of oldest.all(most)) {
      if (row.number > number - limits.events && row.bytes > bytes - limits.bytes && row.createdAt > until) break
      id = row.id
    }
    return id
  }

  return {
    /**
     * Writes that a record has changed; to be called in the transaction of the change. `record` is its JSON form after
     * the change, or before its removal, and `accountId` its account, null if it belongs to the store. With `before`,
     * the form before the change, the event has the members that differ as they were; if none does, nothing is written.
     */
    write(type: EventType, accountId: number | null, record: object, before?: object): void {
      const changed = before && changedMembers(before, record)
      if (before && !changed) return
      const { id: lastId, number, bytes } = lastWritten()
      const nowMs = clock.now()
      const id = Math.max(lastId + 1, idOf(nowMs))
      const data = JSON.stringify(record)
      const previous = changed ? JSON.stringify(changed) : null
      const size = rowBytes + Buffer.byteLength(data) + Buffer.byteLength(previous ?? '')
      last = { id, number: number + 1, bytes: bytes + size }
      insert.run(id, type, nowMs, accountId, requestId(), data, previous, last.number, last.bytes)
    },
    /** The number of events that were written since the store was created. */
    written: (): number => newest.get()?.number ?? 0,
    /** The id of the newest event that is on disk and kept; 0 before the first. */
    newestOnDisk,
    page,
    /** Like `page`, for the events after an id, the oldest first. */
    readAfter: (id: number, filter: EventFilter, limit: number): Matches<StoredEvent> =>
      page(pageRange('asc', id), filter, limit),
    /** An event that is on disk. */
    find,
    /**
     * Throws `events_expired` unless every event after `id`, the last one that a client has, is kept; 0 stands for
     * none.
     */
    assertKept(id: number): void {
      // An event that was lost, for example by restoring an older backup, does not exist either; its id is not reused.
      if (id === 0 || find(id)) return
      const message = `The events after event ${id} are no longer kept: take the id of the newest event (order=desc&limit=1), read the records again, then continue after that id.`
      throw new AppError('events_expired', message)
    },
    /** Calls `listener`, which must not throw, with the id of the newest event whenever events have reached the disk. */
    onFlushed: (listener: (newestId: number) => void): void => void listeners.push(listener),
    /** To be called when every commit so far is on disk. */
    flushed(): void {
      if (last === undefined || last.id === onDisk) return
      // The last one may have been rolled back: clients get the id of an event that exists.
      const newestId = newest.get()?.id ?? 0
      if (newestId === onDisk) return
      onDisk = newestId
      for (const listener of listeners) listener(onDisk)
    },
    /** Whether the oldest event is too old, written at `until` (Unix milliseconds) or before, or there are too many. */
    hasOld: (until: number): boolean => lastOld(until, 1) !== undefined,
    /** Removes those of the `most` oldest events that are too old or too many, up to the first one that is not. */
    removeOld(until: number, most: number): void {
      const id = lastOld(until, most)
      if (id !== undefined) removeTo.run(id)
    },
  }
}
export type EventLog = ReturnType<typeof createEventLog>
/** The part of the log with which a feature records its changes. */
export type EventWriter = Pick<EventLog, 'write'>

/** Returns a function that makes the scan of the events that a filter selects, `windowSize` events at a time. */
function createScans(connection: Database, windowSize: number) {
  const edgeIn = (order: IdRange['order']) =>
    connection.prepare<{ id: number }, [number, number]>(
      `SELECT id FROM events WHERE id > ?1 AND id < ?2 ORDER BY id ${order} LIMIT 1 OFFSET ${windowSize - 1}`,
    )
  const edges = { asc: edgeIn('asc'), desc: edgeIn('desc') }
  const selectedIn = (order: IdRange['order']) =>
    connection.prepare<StoredEvent, [number, number, string, string, number, number]>(
      `SELECT ${columns} WHERE id > ?1 AND id < ?2 AND ${isSelected} ORDER BY id ${order} LIMIT ?6 + 0`,
    )
  const selected = { asc: selectedIn('asc'), desc: selectedIn('desc') }
  return ({ accountId, all, own }: EventFilter): RecordScan<StoredEvent> => {
    const types = [JSON.stringify([...all]), JSON.stringify([...own])] as const
    return ({ order, above, below }, most) => {
      const edge = edges[order].get(above, below)?.id
      const end = edge ?? (order === 'asc' ? below - 1 : above + 1)
      const [from, to] = order === 'asc' ? [above, end + 1] : [end - 1, below]
      const candidates = selected[order].all(from, to, ...types, accountId, most)
      return { candidates, searchedTo: candidates.length === most ? (candidates.at(-1)?.id ?? end) : end }
    }
  }
}
