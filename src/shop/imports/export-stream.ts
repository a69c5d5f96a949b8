/**
 * Exports that are sent to clients. Each reads a snapshot on a connection of its own, so that the server writes meanwhile. A
 * snapshot keeps the write-ahead log from being emptied, so the number of exports and their duration are limited.
 */

import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { TextSource } from '../../api/sent-file.ts'
import { faultOf, StorageUnavailable } from '../../database/faults/fault.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { type ExportFormat, exportPets } from './export.ts'

/** The most exports at a time. */
export const maximumExports = 4

/** The longest time that a client may take to read an export, in milliseconds. */
export const longestExportMs = 1_800_000

export interface ExportParts {
  readonly databasePath: string
  /** The connection of the server. */
  readonly connection: Database
  readonly turns: Turns
  readonly clock: Pick<Clock, 'monotonic'>
}

export function createExports({ databasePath, connection, turns, clock }: ExportParts) {
  const running = new Set<TextSource>()
  /**
   * Connections of exports that have ended, for the next ones: a closed one keeps its file descriptors until the garbage
   * collector has found its statements.
   */
  const idle: Database[] = []

  function openReader(): Database {
    if (databasePath === ':memory:') return Database.deserialize(connection.serialize())
    const kept = idle.pop()
    if (kept) return kept
    try {
      const reader = new Database(databasePath, { readwrite: true, create: false, strict: true })
      reader.run('PRAGMA query_only = ON')
      return reader
    } catch (error) {
      const fault = faultOf(error)
      throw fault === undefined ? error : new StorageUnavailable(fault, 'not_read', error)
    }
  }

  return {
    /** Throws `storage_unavailable` if too many exports are running or the database can't be read. */
    assertFree(): void {
      if (running.size < maximumExports) return
      const message = 'Too many exports are running at the same time: try again when one has finished.'
      throw new AppError('storage_unavailable', message, { retryAfterSeconds: 5 })
    },
    /** Begins an export, whose text is produced in steps of a few milliseconds. */
    open(format: ExportFormat): TextSource {
      const reader = openReader()
      const parts = exportPets({ connection: reader, tables: drizzle(reader) }, format)
      const startedMs = clock.monotonic()
      const source: TextSource = {
        async next() {
          if (!running.has(source)) throw new Error('The export was ended.')
          if (clock.monotonic() - startedMs > longestExportMs) throw new Error('The client reads an export too slowly.')
          const { value, done } = await turns(() => (running.has(source) ? parts.next() : { value: '', done: true }))
          return done ? undefined : value
        },
        close() {
          if (!running.delete(source)) return
          parts.return(undefined)
          if (databasePath === ':memory:') reader.close()
          else idle.push(reader)
        },
      }
      running.add(source)
      return source
    },
    /** Ends all exports; their clients receive incomplete files. */
    stop(): void {
      for (const source of running) source.close()
      for (const reader of idle.splice(0)) reader.close()
    },
  }
}
export type Exports = ReturnType<typeof createExports>
