/**
 * Composes the parts of mail: the settings, the outbox, the mails about attention and about a new password, and the
 * functions of the dashboard.
 */

import { comparedEmail } from '../../access/owner/email.ts'
import { DashboardError } from '../../access/owner/error.ts'
import type { Hold } from '../../access/owner/hold.ts'
import { setupLinkLifetimeMs } from '../../access/owner/rules.ts'
import { createSetupToken, setupUrl } from '../../access/owner/set-up.ts'
import type { OwnerStore } from '../../access/owner/store.ts'
import type { Attention, AttentionItem, AttentionSource } from '../../api/attention.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Announcements } from '../../database/announcements.ts'
import type { FaultMonitor } from '../../database/faults/monitor.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import { toleratedFutureMs } from '../../lib/duration.ts'
import { defaultPorts, type Environment } from '../../lib/environment.ts'
import { messageOf } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { openSecrets } from '../secrets.ts'
import { createNotice } from './notice.ts'
import { createOutbox } from './outbox.ts'
import { MailError, type MailServer, recipientFault, sendLetter } from './send.ts'
import { createMailSettings, type MailSettings, type NewMailSettings } from './settings.ts'
import type { Mail, MailStore } from './store.ts'
import { type AttentionContent, attentionMail, type Content, type Place, passwordResetMail, testMail } from './words.ts'

/** A second link to choose a password is sent at the earliest this long after the first, which still works then. */
export const passwordLinkStepMs = 600_000

/** How long a test mail that the server rejects temporarily is tried again, in milliseconds. */
const testLifetimeMs = 86_400_000

/** The longest name of an item that needs attention. */
const longestName = 300

const onHoldMessage =
  'No mail is sent until you confirm that this machine now runs the restored store: Settings → Backups.'

/** The state that was last read from the database, for a mail about a database that cannot be read. */
interface Known {
  readonly place: Omit<MailServer, 'password'> | undefined
  readonly recipient: string | undefined
  readonly isOnHold: boolean
  readonly dashboardUrl: string
}

interface MailParts {
  readonly mails: MailStore
  readonly owner: OwnerStore
  readonly hold: Hold
  readonly writer: Pick<Writer, 'write'>
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly attention: Attention
  /** The items that need no database. */
  readonly storageAttention: AttentionSource
  readonly faults: Pick<FaultMonitor, 'readFailed'>
  readonly clock: Clock
  readonly log: Log
  readonly environment: Environment
  readonly databasePath: string
  /** The mail server of the options. */
  readonly mailConfig: MailConfig | undefined
}

export function createMail(parts: MailParts) {
  const { mails, owner, hold, writer, announcements, attention, clock, log, databasePath, mailConfig } = parts
  const startedMs = clock.now()
  const settings = createMailSettings({ mails, writer, secrets: openSecrets(databasePath), given: mailConfig })
  const delivery = createDelivery(parts, settings)
  const { current, isOpen } = delivery

  const outbox = createOutbox({ ...parts, isOpen, send: delivery.send })
  const notice = createNotice({ ...parts, outbox, isOpen })
  announcements.subscribe(['mail', 'owner'], () => {
    outbox.wake()
    notice.wake()
  })

  attention.add(() => {
    const now = current()
    if (now.place === undefined || now.isOnHold) return []
    const reason = delivery.fault(now)
    return reason === undefined ? mailAttention(outbox.all()) : [mailFailed(reason, startedMs)]
  })

  /** Empties the outbox, so that later faults are mailed again. To be called in a transaction. */
  function giveUp(): void {
    mails.deleteAll()
    outbox.forget()
  }
  hold.onConfirm(giveUp)

  /** Mails the owner a link to choose a new password, but not soon after another one. */
  async function sendPasswordLink(email: string): Promise<void> {
    const last = outbox.newest('password_reset')
    const ageMs = last === undefined ? Number.POSITIVE_INFINITY : clock.now() - last.createdAt
    if (ageMs < passwordLinkStepMs && ageMs > -toleratedFutureMs) return
    await outbox.add('password_reset', { email }, setupLinkLifetimeMs)
  }

  return {
    jobs: [notice.job, outbox.job],
    /** Whether mails are sent to the owner. */
    isOpen,
    /** The settings that may be shown, and the result of the last mails. */
    view() {
      const now = current()
      const { place } = now
      const all = outbox.all()
      const lastSentAt = Math.max(...all.map(({ sentAt }) => sentAt ?? 0))
      return {
        /** The mail server, such as `smtps://ada%40shop.example@mail.example:465`; null if mail is off. */
        smtp: place?.server.url ?? null,
        from: place?.from ?? null,
        /** Whether options of the start name the server: then it cannot be changed here. */
        isGiven: settings.isGiven,
        lastSentAt: lastSentAt > 0 ? new Date(lastSentAt).toISOString() : null,
        /** Why a waiting mail could not be sent; null if none has failed. */
        fault: delivery.fault(now) ?? all.find(({ nextAt, error }) => nextAt !== null && error !== null)?.error ?? null,
      }
    },
    /**
     * Undefined turns mail off. `record` runs in the transaction. Throws `invalid_body`, `conflict`,
     * `storage_unavailable`.
     */
    async save(entered: NewMailSettings | undefined, record: () => void): Promise<void> {
      await settings.save(entered, () => {
        // A waiting mail would report faults that have ended.
        if (entered === undefined) giveUp()
        record()
      })
      outbox.retry()
    },
    /** Sends a mail to the owner at once. Throws the reason as a `DashboardError`. */
    async sendTest(signal: AbortSignal): Promise<void> {
      if (current().isOnHold) throw new DashboardError('mail_off', onHoldMessage)
      if (!isOpen()) throw new DashboardError('mail_off', 'Mail is off: nothing is sent.')
      try {
        await delivery.sendTest(signal)
      } catch (error) {
        // The signal is aborted if the browser has gone.
        if (!(error instanceof MailError || signal.aborted)) throw error
        if (!(error instanceof MailError && error.isTemporary))
          throw new DashboardError('mail_failed', messageOf(error))
        await outbox.add('test', {}, testLifetimeMs)
        throw new DashboardError('mail_failed', `${messageOf(error).replace(/\.?$/, '.')} It is tried again.`)
      }
      // Mails that wait may succeed now, too.
      outbox.retry()
    },
    /**
     * Mails a link to choose a new password if `email` is the address of the owner. Its caller cannot find out whether
     * it is: it returns before the mail is made. Throws `mail_off`.
     */
    requestPasswordLink(email: string): void {
      if (!isOpen()) {
        const message = 'This store sends no mail. Run petstore owner reset on its computer to choose a new password.'
        throw new DashboardError('mail_off', message)
      }
      const known = owner.find()?.email ?? ''
      if (comparedEmail(email) !== comparedEmail(known)) return
      setImmediate(() => {
        sendPasswordLink(known).catch((error) => log.error('the mail for a new password could not be made', { error }))
      })
    },
  }
}
export type OwnerMail = ReturnType<typeof createMail>

/** Sends mails to the owner: what a mail says, and to whom it goes, is decided when it is sent. */
function createDelivery(parts: MailParts, settings: MailSettings) {
  const { owner, hold, writer, faults, clock, environment } = parts
  let known: Known | undefined

  function read(): Known {
    const { dashboardUrl } = owner.installation()
    return {
      place: settings.place(),
      recipient: owner.find()?.email,
      isOnHold: hold.isOnHold(),
      dashboardUrl: dashboardUrl ?? `http://127.0.0.1:${defaultPorts[environment]}/dashboard`,
    }
  }

  function current(): Known {
    try {
      known = read()
    } catch (error) {
      if (known === undefined || faults.readFailed(error) === undefined) throw error
    }
    return known
  }

  const isOpen = () => {
    const { place, recipient, isOnHold } = current()
    return place !== undefined && recipient !== undefined && !isOnHold
  }

  const placeOf = ({ dashboardUrl }: Known): Place => ({ dashboardUrl, environment })

  /** Undefined if the mail no longer has a purpose. */
  async function compose({ kind, content }: Mail, now: Known): Promise<Content | undefined> {
    if (kind === 'attention') return attentionMail(content as AttentionContent, placeOf(now))
    if (kind === 'test') return testMail(placeOf(now))
    const { email } = content as { readonly email: string }
    if (comparedEmail(email) !== comparedEmail(now.recipient ?? '')) return undefined
    // Made here, so that no token lies in the outbox, which backups contain.
    const token = await writer.write(() => createSetupToken({ owner }, clock.now()))
    return passwordResetMail(setupUrl(now.dashboardUrl, token), placeOf(now))
  }

  async function deliver(now: Known, content: Content, id: string, signal: AbortSignal): Promise<void> {
    const { place, recipient: to } = now
    if (place === undefined || to === undefined) throw new MailError('Mail is off.')
    const publishedAt = domainNameOf(now.dashboardUrl)
    const server = { ...place, publishedAt, password: await settings.password(place.server) }
    await sendLetter(server, { ...content, to, dateMs: clock.now(), id }, { clock, signal })
  }

  return {
    /** What is known of the store now. */
    current,
    isOpen,
    /** Why no mail can be sent, whatever the mail server accepts; undefined if it can. */
    fault({ place, recipient }: Known): string | undefined {
      if (place === undefined || recipient === undefined) return undefined
      return recipientFault(recipient) ?? settings.passwordFault()
    },
    /** Sends a mail of the outbox; false if it no longer has a purpose. Throws a `MailError`. */
    async send(mail: Mail, signal: AbortSignal): Promise<boolean> {
      const now = current()
      const content = await compose(mail, now)
      if (content === undefined) return false
      await deliver(now, content, `${mail.kind}.${mail.createdAt}`, signal)
      return true
    },
    /** Sends the test mail. Throws a `MailError`. */
    async sendTest(signal: AbortSignal): Promise<void> {
      const now = current()
      await deliver(now, testMail(placeOf(now)), `test.${clock.now()}`, signal)
    },
  }
}

/** The domain name of an address; undefined for an IP address and for a name that this machine alone knows. */
function domainNameOf(url: string): string | undefined {
  const { hostname } = new URL(url)
  return /\.(?!localhost$)[a-z][a-z0-9-]*$/.test(hostname) ? hostname : undefined
}

/** What needs attention of mail that is on. */
export function mailAttention(mails: readonly Mail[]): AttentionItem[] {
  return mails
    .filter(({ nextAt, failures }) => nextAt !== null && failures > 1)
    .slice(0, 1)
    .map(({ error, createdAt }) => mailFailed(error, createdAt))
}

const mailFailed = (reason: string | null, sinceMs: number): AttentionItem => ({
  kind: 'mail_failed',
  id: null,
  name: reason?.slice(0, longestName).toWellFormed() ?? null,
  sinceMs,
})
