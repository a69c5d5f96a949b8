/**
 * The faults that a database can have while the service runs. Each is recognised by the error codes of SQLite and of
 * the system, and has the same name in the log, in `/readyz`, in responses and in commands.
 * https://sqlite.org/rescode.html
 */

import { AppError } from '../../lib/error.ts'
import { codeOf } from '../../lib/system-error.ts'

export type Fault =
  | 'busy'
  | 'full'
  | 'read_only'
  | 'disk_error'
  | 'malformed'
  | FileFault
  | 'newer_schema'
  | 'no_descriptors'
  | 'no_memory'
  | 'cannot_open'

/** A file of the database is no longer the one that was opened. */
export type FileFault =
  | 'file_gone'
  /** The log of this process, or its index, is gone, and no other process has written. */
  | 'log_gone'
  /** Another process has its own log or index, and may have written. */
  | 'log_replaced'
  | 'lock_gone'

/** The state of the database after a failed operation. */
export type Outcome =
  | 'unchanged'
  | 'unknown'
  | 'unknown_command'
  | 'not_read'
  /** A part was committed, and remains. */
  | 'begun'

interface FaultText {
  /** The event, for clients and operators. */
  readonly message: string
  /** The remedy, for operators. */
  readonly advice: string
}

/** A server may move its log into the file as late as when it stops. */
export const mayBeMissing = 'Changes since the last start may be missing: compare with the newest backup.'

export const faultTexts: Readonly<Record<Fault, FaultText>> = {
  busy: {
    message: 'Another process keeps the database locked.',
    advice: 'Wait until it has finished, or end it.',
  },
  full: { message: 'The disk of the database is full.', advice: 'Free some space on it.' },
  read_only: {
    message: 'The database is read-only.',
    advice: 'Make its disk and its files writable for the user that runs petstore.',
  },
  disk_error: { message: 'The disk of the database reported an error.', advice: 'Check the system log.' },
  malformed: {
    message: 'The database file is damaged.',
    advice: 'Stop petstore and restore a backup: petstore backup restore FILE.',
  },
  file_gone: {
    message: 'The database file was moved, removed or replaced.',
    advice: 'Put the same file back, or stop petstore, restore a backup and start it again.',
  },
  log_gone: {
    message: 'The log of the database (-wal or -shm) was moved or removed.',
    advice:
      'Put the same file back, or stop petstore and start it again: nothing is lost unless petstore is killed or a command runs before that.',
  },
  log_replaced: {
    message: 'The log of the database (-wal or -shm) was replaced by another process.',
    advice: `Stop petstore and start it again. ${mayBeMissing}`,
  },
  lock_gone: {
    message: 'The lock of the database (-serving) was moved, removed or replaced.',
    advice:
      'Put the same file back, or stop petstore and start it again: a second petstore could be serving the database.',
  },
  newer_schema: {
    message: 'A newer petstore has migrated the database.',
    advice: 'Stop this petstore and start the newer one.',
  },
  no_descriptors: {
    message: 'The process has no file descriptor left.',
    advice: 'Raise its limit: ulimit -n, or LimitNOFILE in systemd.',
  },
  no_memory: { message: 'The system has no memory left.', advice: 'Give the service more memory.' },
  cannot_open: {
    message: 'A file of the database cannot be opened.',
    advice: 'Check the directory, its permissions, and the limit of open files (ulimit -n).',
  },
}

/** The last log line of a service that stops while its database has a fault which a restart does not end. */
export function lastFault(fault: 'malformed' | 'file_gone'): string {
  const advice = fault === 'malformed' ? 'Restore' : 'Put the same file back or restore'
  return `${faultTexts[fault].message} ${advice} a backup before the next start: petstore backup restore FILE.`
}

/** The last log line of a service that stops because a flush has failed. */
export const failedFlush =
  'The disk of the database failed to write a change, and petstore has stopped. Check the system log, then start it again: nothing that was reported as saved is lost.'

const endings: Readonly<Record<Outcome, string>> = {
  unchanged: 'Nothing was changed; try again later.',
  unknown: 'It is unknown whether this was saved; send it again with the same Idempotency-Key.',
  unknown_command: 'It is unknown whether this was saved: check that before you run the command again.',
  not_read: 'Try again later.',
  begun: 'A part of this was done; try again later to finish it.',
}

/** Waiting does not help on a full disk. */
const endingsOfFull: Readonly<Partial<Record<Outcome, string>>> = {
  unchanged: 'Nothing was changed; free some space on it and try again.',
  begun: 'A part of this was done; free some space on it and try again to finish it.',
}

function endingOf(fault: Fault, outcome: Outcome): string {
  return (fault === 'full' ? endingsOfFull[outcome] : undefined) ?? endings[outcome]
}

/** `storage_unavailable` with the fault that has caused it. */
export class StorageUnavailable extends AppError {
  readonly fault: Fault

  constructor(fault: Fault, outcome: Outcome, cause?: unknown) {
    super('storage_unavailable', `${faultTexts[fault].message} ${endingOf(fault, outcome)}`, {
      cause,
      retryAfterSeconds: fault === 'busy' ? 1 : 10,
    })
    this.fault = fault
  }
}

/**
 * The error of a change that takes several transactions. Its writer knew only of the last one, and others were
 * committed.
 */
export function afterOthers(error: unknown): unknown {
  return error instanceof StorageUnavailable ? new StorageUnavailable(error.fault, 'begun', error) : error
}

/** The first expression that matches a code determines the fault. */
const faultsByCode: readonly (readonly [RegExp, Fault])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'busy'],
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/, 'full'],
  [/^SQLITE_READONLY_DBMOVED/, 'file_gone'],
  [/^(SQLITE_READONLY|EROFS)/, 'read_only'],
  [/^SQLITE_(CORRUPT|NOTADB|IOERR_DATA)/, 'malformed'],
  [/^(SQLITE_NOMEM|SQLITE_IOERR_NOMEM|ENOMEM)/, 'no_memory'],
  [/^(SQLITE_IOERR|EIO)/, 'disk_error'],
  [/^(EMFILE|ENFILE)/, 'no_descriptors'],
  [/^SQLITE_CANTOPEN/, 'cannot_open'],
]

/** The fault that has caused an error; undefined if the storage has not caused it. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof StorageUnavailable) return error.fault
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  return faultsByCode.find(([expression]) => expression.test(code))?.[1] ?? faultOf(error.cause)
}

/**
 * Whether a COMMIT that failed with this error may be on disk nevertheless. If the flush or the index of the log fails,
 * the pages can be complete in the log, and the next process that opens the database treats them as committed.
 */
export function mayBeSaved(error: unknown): boolean {
  return !/^SQLITE_(BUSY|FULL|READONLY)/.test(codeOf(error))
}
