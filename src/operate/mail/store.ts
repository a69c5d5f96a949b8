/** Queries over the outbox of mails and the settings of the mail server. All are rare: none is prepared. */

import { type Declare, declareNothing } from '../../database/announcements.ts'
import type { Tables } from '../../database/open.ts'
import { mailSettings, mails } from './table.ts'

export type Mail = typeof mails.$inferSelect
export type MailKind = Mail['kind']
export type StoredMailSettings = Omit<typeof mailSettings.$inferSelect, 'id'>

/** The only row of the settings. */
const id = 1

export function createMailStore(tables: Tables, declare: Declare = declareNothing) {
  return {
    /** The newest mail of each kind. */
    all: (): Mail[] => tables.select().from(mails).all(),
    /** Adds a mail, or replaces the one of its kind. */
    put(mail: Mail): void {
      declare('mail')
      tables.insert(mails).values(mail).onConflictDoUpdate({ target: mails.kind, set: mail }).run()
    },
    deleteAll(): void {
      declare('mail')
      tables.delete(mails).run()
    },
    settings: (): StoredMailSettings | undefined =>
      tables.select({ smtp: mailSettings.smtp, sender: mailSettings.sender }).from(mailSettings).get(),
    /** Undefined turns mail off. */
    saveSettings(settings: StoredMailSettings | undefined): void {
      declare('mail')
      tables.delete(mailSettings).run()
      if (settings !== undefined) {
        tables
          .insert(mailSettings)
          .values({ id, ...settings })
          .run()
      }
    },
  }
}
export type MailStore = ReturnType<typeof createMailStore>
