/**
 * The names of backups: `production-20261120T101500Z.db`, and `…Z-2.db` for the second backup of that second. The
 * schedule's own are `production-scheduled-20261120T031500Z.db`.
 */

import { toleratedFutureMs } from '../../lib/duration.ts'
import { type Environment, environments } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'

/**
 * The reason for the copy: somebody asks for a backup, the schedule does, a newer petstore migrates the store, or a
 * restore replaces it.
 */
export const backupReasons = ['backup', 'scheduled', 'before-upgrade', 'before-restore'] as const
export type BackupReason = (typeof backupReasons)[number]

export interface BackupName {
  readonly environment: Environment
  readonly reason: BackupReason
  /** Unix milliseconds of a whole second. */
  readonly createdAt: number
  /** The number of the backup within its second, from 1. */
  readonly number: number
}

/** Rounds down to a whole second, the resolution of names. */
export function wholeSecond(ms: number): number {
  return ms - (ms % 1_000)
}

export function backupName({ environment, reason, createdAt, number }: BackupName): string {
  const time = `${new Date(createdAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  return [environment, ...(reason === 'backup' ? [] : [reason]), time, ...(number === 1 ? [] : [number])]
    .join('-')
    .concat('.db')
}

const pattern = new RegExp(
  `^(${environments.join('|')})-(?:(before-restore|before-upgrade|scheduled)-)?(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)Z(?:-(\\d{1,9}))?\\.db$`,
)

/** Parses the name of a file; undefined if it is not the name of a backup. */
export function readBackupName(file: string): BackupName | undefined {
  const [, environment, reason = 'backup', year, month, day, hour, minute, second, number = '1'] =
    pattern.exec(file) ?? []
  const createdAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(createdAt)) return undefined
  const name: BackupName = {
    environment: environment as Environment,
    reason: reason as BackupReason,
    createdAt,
    number: Number(number),
  }
  return backupName(name) === file ? name : undefined
}

/** Compares two names for sorting, newest first. */
export function newestFirst(a: BackupName, b: BackupName): number {
  return b.createdAt - a.createdAt || b.number - a.number
}

/**
 * Whether the time of a backup, Unix milliseconds, has come. One from the future was made while the clock was wrong,
 * and is not the last one.
 */
export function hasCome(createdAt: number, nowMs: number): boolean {
  return createdAt <= nowMs + toleratedFutureMs
}

/** Throws `conflict` if an option of the start has a value: then it cannot be changed while the service runs. */
export function assertNotGiven(value: unknown, option: string): void {
  if (value === undefined) return
  throw new AppError('conflict', `It is given by the option --${option}, and can only be changed there.`)
}
