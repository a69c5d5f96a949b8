/** Statements over the outbox of mails and the settings of the mail server. */

import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { rowsOf } from '../../database/rows.ts'
import { mailSettings, mails } from './table.ts'

export type Mail = typeof mails.$inferSelect
export type MailKind = Mail['kind']
export type StoredMailSettings = Omit<typeof mailSettings.$inferSelect, 'id'>

/** The only row of the settings. */
const id = 1

export function createMailStore(tables: Tables, declare: Declare = declareNothing) {
  const outbox = rowsOf(tables, mails)
  const settings = rowsOf(tables, mailSettings)

  return {
    /** The newest mail of each kind. */
    all: (): Mail[] => outbox.list(),
    /** Adds a mail, or replaces the one of its kind. */
    put(mail: Mail): void {
      declare('mail')
      outbox.put(mail, 'kind')
    },
    deleteAll(): void {
      declare('mail')
      outbox.remove({})
    },
    settings: (): StoredMailSettings | undefined => settings.find({}),
    /** Undefined turns mail off. */
    saveSettings(changed: StoredMailSettings | undefined): void {
      declare('mail')
      settings.remove({})
      if (changed !== undefined) settings.insert({ id, ...changed })
    },
  }
}
export type MailStore = ReturnType<typeof createMailStore>
