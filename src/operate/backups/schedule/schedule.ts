/**
 * Makes a backup every day at the time that the options or the settings name. What was made is read from the names of
 * the files, so that a backup that was missed, or that failed, is made up for by whichever process runs next.
 */

import { basename } from 'node:path'
import type { AccountStore } from '../../../access/accounts/store.ts'
import { type StoreAccountStores, storeAccount } from '../../../access/accounts/store-account.ts'
import type { AuditStore } from '../../../access/audit/store.ts'
import type { Hold } from '../../../access/owner/hold.ts'
import type { Attention } from '../../../api/attention.ts'
import {
  type BackupConfig,
  backupAtRule,
  defaultBackupAt,
  defaultKeep,
  keepRule,
  keepText,
  parseBackupAt,
  parseKeep,
} from '../../../config/backups.ts'
import type { Writer } from '../../../database/writer.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError, messageOf } from '../../../lib/error.ts'
import { type Log, printable } from '../../../lib/log.ts'
import type { Job } from '../../../lib/scheduler.ts'
import { lastBackup, type StorePlace } from '../folder.ts'
import type { BackupWork } from '../http/work.ts'
import { createLastResult, resultAttention } from '../last-result.ts'
import { assertNotGiven, hasCome } from '../rules.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { ScheduledBackup } from './make.ts'
import type { BackupStore } from './store.ts'

/** How long after the start a backup that was missed before it is made, in milliseconds. */
export const missedWaitMs = 300_000
/** How long after a failure it is tried again, in milliseconds. */
export const retryWaitMs = 3_600_000
const lookMs = 60_000
/** The most characters of a reason that are kept. */
const longestReason = 260

export interface BackupScheduleParts extends StorePlace, StoreAccountStores {
  readonly accounts: AccountStore
  readonly backups: BackupStore
  readonly backupWork: Pick<BackupWork, 'schedule'>
  readonly audit: AuditStore
  readonly writer: Pick<Writer, 'write'>
  readonly attention: Attention
  readonly hold: Pick<Hold, 'isOnHold'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Log
  /** The options of the start. */
  readonly given: BackupConfig | undefined
  /** The command line that runs petstore; undefined if this process is another program, which makes no backups. */
  readonly self: readonly string[] | undefined
}

type Actor = 'system' | 'owner'

/** What the owner enters; a member that is missing stays as it is. */
interface NewBackupSchedule {
  readonly at?: string | undefined
  readonly keep?: string | undefined
}

export function createBackupSchedule(parts: BackupScheduleParts) {
  const { backups, backupWork, writer, attention, hold, clock, log, given, self, databasePath } = parts
  const hasSchedule = databasePath !== ':memory:' && self !== undefined
  const [startedMs, startedElapsedMs] = [clock.now(), clock.monotonic()]
  /** No backup is made before, on the monotonic clock. */
  let retryElapsedMs = Number.NEGATIVE_INFINITY

  const at = () => given?.at ?? parseBackupAt(backups.settings().at ?? '') ?? defaultBackupAt
  const keep = () => given?.keep ?? parseKeep(backups.settings().keep ?? '') ?? defaultKeep
  const last = createLastResult(parts, 'schedule')
  const heartbeat = createHeartbeat(given?.heartbeatUrl, log)

  /** Milliseconds until a backup that is due may be made; undefined if none is due. */
  function waitMs(time: string, nowMs: number): number | undefined {
    const dueMs = lastDueAt(time, nowMs)
    if (madeMs(nowMs) >= dueMs) return undefined
    const startMs = dueMs < startedMs ? startedElapsedMs + missedWaitMs : startedElapsedMs
    return Math.max(0, startMs - clock.monotonic(), retryElapsedMs - clock.monotonic())
  }

  /** The time of the last backup of the schedule, or else that of the store: a new one has missed nothing. */
  function madeMs(nowMs: number): number {
    try {
      const made = lastBackup(parts, nowMs, ['scheduled'])
      if (made !== undefined) return made.createdAt
    } catch (error) {
      // The directory cannot be read: the attempt says why.
      if (error instanceof AppError) return Number.NEGATIVE_INFINITY
      throw error
    }
    const createdAt = parts.accounts.page(0, 1)[0]?.createdAt ?? startedMs
    return hasCome(createdAt, nowMs) ? createdAt : Number.NEGATIVE_INFINITY
  }

  function record(name: string, actor: Actor, nowMs: number): void {
    const context = { actor, nowMs } as const
    const { id: accountId } = storeAccount(parts, context)
    parts.audit.add(context, { action: 'backup.created', accountId, details: { name } })
  }

  async function failed(error: unknown): Promise<void> {
    retryElapsedMs = clock.monotonic() + retryWaitMs
    log.error('the scheduled backup failed; it is tried again in an hour', { error })
    const reason = printable(messageOf(error)).slice(0, longestReason).toWellFormed()
    await last.keep(null, `${reason} It is tried again every hour.`)
  }

  async function make(nowMs: number, actor: Actor): Promise<ScheduledBackup> {
    const backup = await backupWork.schedule(keep(), nowMs, { inBackground: actor === 'system' })
    const { file, bytes, damagedFiles, leftBecause } = backup
    log.info('made the scheduled backup', { file, bytes })
    if (leftBecause !== null) log.warn('old backups or contents could not be deleted', { reason: leftBecause })
    if (damagedFiles > 0) log.warn('the scheduled backup is incomplete', { file, damagedFiles })
    const name = basename(file)
    const error = damagedFiles === 0 ? null : incomplete(damagedFiles)
    // The old machine may still run, and its heartbeat must be missed if it does not.
    if (error === null && !hold.isOnHold()) heartbeat.due()
    await last.keep(name, error, (storedMs) => record(name, actor, storedMs))
    return backup
  }

  const job: Job = {
    name: 'make the scheduled backup',
    everyMs: lookMs,
    async run(signal) {
      const [time, nowMs] = [at(), clock.now()]
      try {
        if (time !== 'off' && waitMs(time, nowMs) === 0) await make(nowMs, 'system')
        await heartbeat.send(signal)
      } catch (error) {
        // It was stopped with the service, or another backup or restore is under way: the next look comes soon.
        if (signal.aborted || (error instanceof AppError && error.code === 'conflict')) return
        await failed(error)
      }
    },
  }

  attention.add(() => (hasSchedule && at() !== 'off' ? resultAttention(last.find()) : []))

  function nextMs(): number | undefined {
    const [time, nowMs] = [at(), clock.now()]
    if (time === 'off') return undefined
    const wait = waitMs(time, nowMs)
    return wait === undefined ? nextDueAt(time, nowMs) : nowMs + wait
  }

  return {
    jobs: hasSchedule ? [job] : [],
    /** Which backups are kept. */
    keep,
    /** Undefined if this store has no schedule: it is in memory. */
    view() {
      if (!hasSchedule) return undefined
      const next = nextMs()
      return {
        /** `HH:MM`, or `off`. */
        at: at(),
        /** Such as `7d,4w,6m`. */
        keep: keepText(keep()),
        /** Whether options of the start say them: then they cannot be changed here. */
        isAtGiven: given?.at !== undefined,
        isKeepGiven: given?.keep !== undefined,
        /** The zone of the machine, in which `at` is meant, such as `Europe/Berlin`. */
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        /** When the next backup is made, RFC 3339; null if none is. */
        nextAt: next === undefined ? null : new Date(next).toISOString(),
        last: last.view(),
      }
    },
    /**
     * Makes the daily backup now. Throws `conflict` while another is made or verified, and `storage_unavailable` with
     * the reason.
     */
    async makeNow() {
      const { file, bytes } = await make(clock.now(), 'owner')
      return { name: basename(file), bytes }
    },
    /**
     * Changes what is given. `record` runs in the transaction. Throws `invalid_body`, `conflict`,
     * `storage_unavailable`.
     */
    async save(entered: NewBackupSchedule, record: () => void): Promise<void> {
      const settings = checked(entered, given)
      await writer.write(() => {
        backups.saveSettings({ ...backups.settings(), ...settings })
        record()
      })
    },
  }
}
export type BackupSchedule = ReturnType<typeof createBackupSchedule>

function checked(entered: NewBackupSchedule, given: BackupConfig | undefined) {
  if (entered.at !== undefined) assertNotGiven(given?.at, 'backup-at')
  if (entered.keep !== undefined) assertNotGiven(given?.keep, 'backup-keep')
  const at = entered.at === undefined ? undefined : parseBackupAt(entered.at)
  const keep = entered.keep === undefined ? undefined : parseKeep(entered.keep)
  if (entered.at !== undefined && at === undefined) throw new AppError('invalid_body', `at ${backupAtRule}.`)
  if (entered.keep !== undefined && keep === undefined) throw new AppError('invalid_body', `keep ${keepRule}.`)
  return { ...(at === undefined ? {} : { at }), ...(keep === undefined ? {} : { keep: keepText(keep) }) }
}

function incomplete(damagedFiles: number): string {
  const files =
    damagedFiles === 1
      ? '1 file of websites or certificates is'
      : `${damagedFiles} files of websites or certificates are`
  return `The backup was made, but ${files} missing or damaged in the store. Publish the websites again; certificates are ordered again.`
}

/**
 * The last time of the daily backup at or before `nowMs`; `at` is `HH:MM` in the zone of the machine. On a day whose
 * clock skips the time, it is as much later as the clock was put forward; of a time that a day has twice, it is the first.
 */
export function lastDueAt(at: string, nowMs: number): number {
  return Math.max(...around(at, nowMs).filter((time) => time <= nowMs))
}

/** The first such time after `nowMs`. */
export function nextDueAt(at: string, nowMs: number): number {
  return Math.min(...around(at, nowMs).filter((time) => time > nowMs))
}

/** The times of the days around `nowMs`. Two days before, because a zone can skip a whole one. */
function around(at: string, nowMs: number): number[] {
  const [hour = 0, minute = 0] = at.split(':').map(Number)
  const now = new Date(nowMs)
  return [-2, -1, 0, 1, 2].map((days) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute).getTime(),
  )
}
