/** The owner's e-mail address. */

import { AppError } from '../../lib/error.ts'
import { isMailbox, mailboxRule } from '../../lib/mailbox.ts'

/** An e-mail address as it is stored. Throws `invalid_body` for a text that is not a mailbox. */
export function storedEmail(given: string): string {
  const trimmed = given.trim().normalize('NFC')
  if (!isMailbox(trimmed)) throw new AppError('invalid_body', `email ${mailboxRule}.`)
  return trimmed
}

/** The form in which e-mail addresses are compared. */
export function comparedEmail(given: string): string {
  return given.trim().normalize('NFC').toLowerCase()
}
