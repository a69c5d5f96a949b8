/**
 * The outbox: a mail is on disk before it is sent, and is tried again until the mail server has accepted it. After a
 * crash it may be sent twice, with the same id. While the disk is full, mails are only in memory, because the mail
 * about the full disk must be sent. There is one mail of each kind, since a newer one replaces the older.
 */

import { StorageUnavailable } from '../../database/faults/fault.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Job, togetherMs } from '../../lib/scheduler.ts'
import { dueInMs, retryWaitMs } from '../retry-schedule.ts'
import { MailError } from './send.ts'
import type { Mail, MailKind, MailStore } from './store.ts'

export type Outbox = ReturnType<typeof createOutbox>

/** The time between two attempts to store a mail on a full disk, in milliseconds. */
const savedAgainMs = 60_000
/** The longest wait of the job, because somebody may set the clock meanwhile. */
const longestIdleMs = 3_600_000

export function createOutbox(parts: {
  readonly mails: MailStore
  readonly writer: Pick<Writer, 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Whether mails are sent now: not while mail is off or the store is on hold. */
  readonly isOpen: () => boolean
  /**
   * Sends a mail to the current owner; false if it no longer has a purpose. Throws a `MailError` if it fails.
   */
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<boolean>
}) {
  const { mails, writer, clock, log, isOpen, send } = parts
  let loaded: Map<MailKind, Mail> | undefined
  const unsaved = new Set<MailKind>()
  /** When the job has work again, Unix milliseconds. */
  let workAtMs = Number.POSITIVE_INFINITY
  let wake = () => {}

  /** The mails are read when they are first needed, because most starts send none. */
  function newest(): Map<MailKind, Mail> {
    loaded ??= new Map(mails.all().map((mail) => [mail.kind, mail]))
    return loaded
  }

  async function save(mail: Mail): Promise<void> {
    newest().set(mail.kind, mail)
    unsaved.add(mail.kind)
    try {
      await writer.write(() => mails.put(mail))
      if (newest().get(mail.kind) === mail) unsaved.delete(mail.kind)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }

  const isDue = ({ nextAt }: Mail) => dueInMs(nextAt, clock.now()) === 0

  async function attempt(mail: Mail, signal: AbortSignal): Promise<void> {
    let after: Mail
    if (mail.expiresAt !== null && clock.now() >= mail.expiresAt) after = { ...mail, nextAt: null }
    else {
      try {
        const isSent = await send(mail, signal)
        after = { ...mail, nextAt: null, error: null, ...(isSent ? { sentAt: clock.now() } : {}) }
      } catch (error) {
        // The mail with a link for a new password needs a write; others can be sent without one.
        if (!(error instanceof MailError || error instanceof StorageUnavailable)) throw error
        const failures = mail.failures + 1
        const nextAt = clock.now() + retryWaitMs(failures)
        after = { ...mail, failures, nextAt, error: error.message }
        log.warn('a mail could not be sent; it is tried again', { kind: mail.kind, failures, reason: error.message })
      }
    }
    const current = newest().get(mail.kind)
    // A mail that has replaced it meanwhile is sent separately.
    await save(current === mail || current === undefined ? after : { ...current, sentAt: after.sentAt })
  }

  const job: Job = {
    name: 'send mails',
    everyMs: 1_000,
    idleMs() {
      const waitMs = workAtMs - clock.now()
      if (waitMs < togetherMs) return undefined
      return waitMs === Number.POSITIVE_INFINITY ? waitMs : Math.min(waitMs, longestIdleMs)
    },
    wokenBy(wakeJob) {
      wake = wakeJob
    },
    async run(signal) {
      // If the database cannot be read, the job looks again.
      workAtMs = clock.now() + savedAgainMs
      if (!isOpen()) {
        workAtMs = Number.POSITIVE_INFINITY
        return
      }
      for (const kind of unsaved) await save(newest().get(kind) as Mail)
      for (const mail of [...newest().values()].filter(isDue)) await attempt(mail, signal)
      const waitMs = Math.min(...[...newest().values()].map(({ nextAt }) => dueInMs(nextAt, clock.now())))
      workAtMs = clock.now() + (unsaved.size > 0 ? Math.min(waitMs, savedAgainMs) : waitMs)
    },
  }

  return {
    job,
    /** Wakes the job, because something that it depends on has changed. */
    wake: () => wake(),
    newest: (kind: MailKind): Mail | undefined => newest().get(kind),
    all: (): readonly Mail[] => [...newest().values()],
    /** Adds a mail, which the job sends. It expires after `lifetimeMs`. */
    async add(kind: MailKind, content: unknown, lifetimeMs?: number): Promise<void> {
      const nowMs = clock.now()
      await save({
        kind,
        content,
        createdAt: nowMs,
        expiresAt: lifetimeMs === undefined ? null : nowMs + lifetimeMs,
        failures: 0,
        nextAt: nowMs,
        sentAt: newest().get(kind)?.sentAt ?? null,
        error: null,
      })
      wake()
    },
    /** Tries the waiting mails at once. */
    retry(): void {
      for (const mail of newest().values())
        if (mail.nextAt !== null) newest().set(mail.kind, { ...mail, nextAt: clock.now() })
      wake()
    },
    /** Clears the mails in memory, after those on disk were deleted. */
    forget(): void {
      loaded = undefined
      unsaved.clear()
      wake()
    },
  }
}
