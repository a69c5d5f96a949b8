/** The mail server of the store: the one of the options if they name one, else the one that the owner has set. */

import { type MailConfig, parseSmtpUrl, type SmtpServer } from '../../config/mail.ts'
import type { Writer } from '../../database/writer.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { isMailbox, mailboxRule } from '../../lib/mailbox.ts'
import { systemReason } from '../../lib/system-error.ts'
import type { SecretsFile } from '../secrets.ts'
import { MailError, type MailServer } from './send.ts'
import type { MailStore, StoredMailSettings } from './store.ts'

/** The settings as the owner enters them. */
export interface NewMailSettings {
  readonly smtp: string
  readonly from: string
  /** Without it, the password that is stored for the same server and user remains. */
  readonly password?: string | undefined
}

export function createMailSettings(parts: {
  readonly mails: MailStore
  readonly writer: Pick<Writer, 'write'>
  readonly secrets: SecretsFile
  /** The server of the options. */
  readonly given: MailConfig | undefined
}) {
  const { mails, writer, secrets, given } = parts
  /** A password is only for the server for which it was entered. */
  const nameOf = (smtp: string) => `password of ${smtp}`

  function stored(): Omit<MailServer, 'password'> | undefined {
    const row = mails.settings()
    const server = row && parseSmtpUrl(row.smtp)
    return server === undefined || typeof server === 'string' ? undefined : { server, from: row?.sender ?? '' }
  }

  function storedPassword({ url, host, user }: SmtpServer): string | undefined {
    let password: string | undefined
    try {
      password = secrets.read()[nameOf(url)]
    } catch (error) {
      if (error instanceof AppError) throw new MailError(error.message, { cause: error })
      throw error
    }
    if (user === undefined || password !== undefined) return password
    throw new MailError(`The password of ${user} at ${host} is missing. Enter it again.`)
  }

  async function replace(settings: StoredMailSettings | undefined, password: string | undefined, record: () => void) {
    const kept = settings && password !== undefined ? { [nameOf(settings.smtp)]: password } : {}
    // Until the settings are on disk, a crash leaves the old ones, which need their password.
    secrets.write({ ...secrets.read(), ...kept })
    await writer.write(() => {
      mails.saveSettings(settings)
      record()
    })
    const others = Object.entries(secrets.read()).filter(([name]) => !name.startsWith(nameOf('')))
    secrets.write({ ...Object.fromEntries(others), ...kept })
  }

  return {
    /** Whether the options name the server, so that it cannot be changed here. */
    isGiven: given !== undefined,
    /** The server and the sender; undefined if mail is off. */
    place: (): Omit<MailServer, 'password'> | undefined => given ?? stored(),
    /** The password of a server. Throws a `MailError` if it is missing or cannot be read. */
    password: async (server: SmtpServer) => (given === undefined ? storedPassword(server) : await passwordOf(given)),
    /**
     * Why the password is missing or cannot be read, as after a restore on another machine; undefined if there is no
     * fault.
     */
    passwordFault(): string | undefined {
      const server = given === undefined ? stored()?.server : undefined
      try {
        if (server !== undefined) storedPassword(server)
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    },
    /**
     * Replaces the settings, and runs `record` in the transaction. Throws `invalid_body` for settings that cannot be
     * used, and `conflict` if the options name the server.
     */
    async save(entered: NewMailSettings | undefined, record: () => void): Promise<void> {
      if (given !== undefined) {
        throw new AppError('conflict', 'The mail server is given by the option --smtp, and can only be changed there.')
      }
      if (entered === undefined) return await replace(undefined, undefined, record)
      const server = parseSmtpUrl(entered.smtp)
      if (typeof server === 'string') throw new AppError('invalid_body', `smtp ${server}.`)
      if (!isMailbox(entered.from)) throw new AppError('invalid_body', `from ${mailboxRule}.`)
      const password = entered.password ?? secrets.read()[nameOf(server.url)]
      if (server.user !== undefined && password === undefined) {
        throw new AppError('invalid_body', 'smtpPassword is needed for a new server or user.')
      }
      await replace(
        { smtp: server.url, sender: entered.from },
        server.user === undefined ? undefined : password,
        record,
      )
    },
  }
}
export type MailSettings = ReturnType<typeof createMailSettings>

/** The password of the options; a file has it in its first line. Throws a `MailError` if the file cannot be read. */
export async function passwordOf({ password, passwordFile }: MailConfig): Promise<string | undefined> {
  if (passwordFile === undefined) return password
  try {
    const [line = ''] = (await Bun.file(passwordFile).text()).split(/\r?\n/)
    if (line !== '') return line
  } catch (cause) {
    throw new MailError(`The password in ${passwordFile} cannot be read: ${systemReason(cause)}.`, { cause })
  }
  throw new MailError(`There is no password in ${passwordFile}: its first line is empty.`)
}
