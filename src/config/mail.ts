/** The mail server and the sender, from the options of `serve` or from the settings of the dashboard. */

import { resolve } from 'node:path'
import { isMailbox, mailboxRule } from '../lib/mailbox.ts'
import { type OptionValues, text, UsageError } from './values.ts'

export interface SmtpServer {
  /** The address in its one spelling, such as `smtps://ada%40shop.example@mail.example:465`. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** TLS from the first byte (RFC 8314). Otherwise STARTTLS (RFC 3207) is required. */
  readonly isTls: boolean
  /** Undefined for a server that demands no password. */
  readonly user: string | undefined
}

export interface MailConfig {
  readonly server: SmtpServer
  /** The address of the sender. */
  readonly from: string
  readonly password?: string | undefined
  /** Absolute path of the file with the password. */
  readonly passwordFile?: string | undefined
}

/** Undefined without `--smtp`. Throws `UsageError` with the name of the first invalid option. */
export function mailConfig(values: OptionValues): MailConfig | undefined {
  const smtp = text(values, 'smtp')
  if (smtp === undefined) {
    const stray = ['mail-from', 'smtp-password-file'].find((name) => values[name] !== undefined)
    if (stray === undefined) return undefined
    throw new UsageError(`--${stray} needs --smtp, the mail server.`)
  }
  const server = parseSmtpUrl(smtp)
  if (typeof server === 'string') throw new UsageError(`--smtp ${server}.`)
  const given = text(values, 'mail-from')
  const from = given ?? server.user ?? ''
  if (!isMailbox(from)) {
    throw new UsageError(
      given === undefined ? '--mail-from is missing, the address of the sender.' : `--mail-from ${mailboxRule}.`,
    )
  }
  const password = text(values, 'smtp-password')
  const passwordFile = text(values, 'smtp-password-file')
  if (server.user !== undefined && password === undefined && passwordFile === undefined) {
    throw new UsageError('--smtp names a user: set PETSTORE_SMTP_PASSWORD, or give --smtp-password-file.')
  }
  return Object.freeze({
    server,
    from,
    password,
    passwordFile: passwordFile === undefined ? undefined : resolve(passwordFile),
  })
}

const form = 'must be smtps://USER@HOST:465, or smtp://USER@HOST:587 for STARTTLS'

/** The server that the text names, or the rule that it breaks as text that follows the name of its option. */
export function parseSmtpUrl(given: string): SmtpServer | string {
  const [, scheme = '', rest = ''] = /^(smtps?):\/\/(.*)$/is.exec(given) ?? []
  // As the address of a web page, because URLs of other schemes have no rules for hosts.
  const url = rest === '' ? null : URL.parse(`http://${rest}`)
  if (url === null || !['/', ''].includes(url.pathname + url.search + url.hash) || /[\s\p{C}\\]/u.test(given))
    return form
  if (url.password !== '') return `${form}; the password does not belong in it`
  const isTls = scheme.toLowerCase() === 'smtps'
  const port = Number(/:(\d+)\/?$/.exec(rest)?.[1] ?? (isTls ? 465 : 587))
  if (port === 0) return form
  const user = decoded(url.username)
  if (user === undefined) return form
  const host = url.hostname.replaceAll(/[[\]]/g, '')
  const name = user === '' ? '' : `${encodeURIComponent(user)}@`
  return {
    url: `${isTls ? 'smtps' : 'smtp'}://${name}${url.hostname}:${port}`,
    host,
    port,
    isTls,
    user: user === '' ? undefined : user,
  }
}

function decoded(part: string): string | undefined {
  try {
    const plain = decodeURIComponent(part)
    return /\p{Cc}/u.test(plain) ? undefined : plain
  } catch {
    return undefined
  }
}
