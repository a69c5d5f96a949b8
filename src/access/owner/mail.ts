/** What the dashboard needs of mail. How mail is sent is decided elsewhere. */

import type { Log } from '../../lib/log.ts'
import { comparedEmail } from './email.ts'
import { DashboardError } from './error.ts'
import type { OwnerStore } from './store.ts'

export interface MailSettingsView {
  /** The mail server, such as `smtps://ada%40shop.example@mail.example:465`; null if mail is off. */
  readonly smtp: string | null
  /** The address of the sender. */
  readonly from: string | null
  /** Whether options of the start name the server: then it cannot be changed here. */
  readonly isGiven: boolean
  /** RFC 3339. */
  readonly lastSentAt: string | null
  /** Why the mail that waits could not be sent; null if none waits that failed. */
  readonly fault: string | null
}

export interface NewMailSettings {
  readonly smtp: string
  readonly from: string
  /** Without it, the password that is stored for the same server and user remains. */
  readonly password?: string | undefined
}

export interface OwnerMail {
  /** Whether mails are sent to the owner. */
  isOpen(): boolean
  view(): MailSettingsView
  /** Undefined turns mail off. `record` runs in the transaction. Throws `invalid_body`, `conflict`, `storage_unavailable`. */
  save(settings: NewMailSettings | undefined, record: () => void): Promise<void>
  /** Sends a mail to the owner at once. Throws the reason as a `DashboardError`. */
  sendTest(signal: AbortSignal): Promise<void>
  /** Mails the owner a link to choose a new password, but not soon after another one. */
  sendPasswordLink(email: string): Promise<void>
}

interface PasswordLinkParts {
  readonly owner: Pick<OwnerStore, 'find'>
  readonly mail: OwnerMail
  readonly log: Log
}

/**
 * Mails a link to choose a new password if `email` is the address of the owner. Its caller cannot find out whether it is: it returns
 * before the mail is made. Throws `mail_off`.
 */
export function requestPasswordLink({ owner, mail, log }: PasswordLinkParts, email: string): void {
  if (!mail.isOpen()) {
    const message = 'This store sends no mail. Run petstore owner reset on its computer to choose a new password.'
    throw new DashboardError('mail_off', message)
  }
  const known = owner.find()?.email ?? ''
  if (comparedEmail(email) !== comparedEmail(known)) return
  setImmediate(() => {
    mail.sendPasswordLink(known).catch((error) => log.error('the mail for a new password could not be made', { error }))
  })
}
