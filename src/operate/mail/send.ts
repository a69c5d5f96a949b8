/** Sends one mail to one recipient through a mail server, over TLS alone. The message of an error says what to do. */

import type { SmtpServer } from '../../config/mail.ts'
import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { asciiMailbox, isMailbox } from '../../lib/mailbox.ts'
import { knownReason } from '../../lib/system-error.ts'

/** How long the mail server may take for a whole mail, in milliseconds. */
export const sendTimeoutMs = 60_000

export interface MailServer {
  readonly server: SmtpServer
  /** The address of the sender. */
  readonly from: string
  /** The domain name of the store; undefined if it has none. */
  readonly publishedAt?: string | undefined
  readonly password: string | undefined
}

export interface Letter {
  /** The address of the only recipient. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Unix milliseconds. */
  readonly dateMs: number
  /** The same for each attempt, so that a mail that arrives twice can be recognised (RFC 5322 section 3.6.4). */
  readonly id: string
}

/** The mail was not sent, or it is unknown whether it was. The message is for the owner and has no secret. */
export class MailError extends Error {
  override readonly name = 'MailError'
  /** Whether the server may accept the same mail later. */
  readonly isTemporary: boolean

  constructor(message: string, { isTemporary = false, ...options }: ErrorOptions & { isTemporary?: boolean } = {}) {
    super(message, options)
    this.isTemporary = isTemporary
  }
}

/** Why no mail can be sent to an address, for its owner; undefined if it can. */
export function recipientFault(to: string): string | undefined {
  return isMailbox(to)
    ? undefined
    : `${printable(to)} is not an address that mail can be sent to. Change it in the settings.`
}

/**
 * Resolves when the server has accepted the mail. Throws a `MailError`, and the reason of `signal` if that is aborted.
 */
export async function sendLetter(
  { server, from, publishedAt, password }: MailServer,
  { to, subject, text, dateMs, id }: Letter,
  { clock, signal }: { readonly clock: Pick<Clock, 'after'>; readonly signal: AbortSignal },
): Promise<void> {
  const fault = recipientFault(to)
  if (fault !== undefined) throw new MailError(fault)
  const [, fromDomain = ''] = asciiMailbox(from).split('@')
  const timeout = new AbortController()
  const cancel = clock.after(sendTimeoutMs, () => timeout.abort())
  // Loaded here, because few processes send mail, and the module loads TLS.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.isTls,
    requireTLS: true,
    // Many servers refuse the name of a machine in a private network (RFC 5321 section 4.1.1.1).
    name: publishedAt ?? fromDomain,
    connectionTimeout: 30_000,
    greetingTimeout: 20_000,
    tls: { minVersion: 'TLSv1.2' },
    ...(server.user === undefined ? {} : { auth: { user: server.user, pass: password ?? '' } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      envelope: { from, to: [to] },
      from: { name: 'Pet Store', address: from },
      to: { name: '', address: to },
      subject,
      text,
      date: new Date(dateMs),
      messageId: `<${id}@${fromDomain}>`,
      // No automatic replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.any([signal, timeout.signal]),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.signal.aborted) throw new MailError(`${server.host} did not accept the mail within a minute.`)
    throw new MailError(explain(error, server), { cause: error, isTemporary: isTemporary(error) })
  } finally {
    cancel()
    transport.close()
  }
}

/** The most characters of a server's reply that are shown. */
const longestReply = 300

/**
 * Whether the server rejected the mail temporarily, as with greylisting (RFC 5321 section 4.2.1, RFC 6647).
 */
function isTemporary(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number }
  return /^(EENVELOPE|EMESSAGE)$/.test(code) && responseCode >= 400 && responseCode < 500
}

function explain(error: unknown, { host, port, isTls }: SmtpServer): string {
  const {
    code = '',
    originalCode = '',
    timeoutType,
    response,
  } = error as { code?: string; originalCode?: string; timeoutType?: string; response?: unknown }
  const reply =
    typeof response === 'string' ? `: ${printable(response.replaceAll(/\s+/g, ' ')).slice(0, longestReply)}` : ''
  const detail = printable(messageOf(error)).slice(0, longestReply).replace(/\.$/, '')
  switch (originalCode) {
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `${host} does not begin with TLS on port ${port}. Try port 587, with --smtp smtp:// instead of smtps://.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${host} is for another name. Use the name of the mail server that your provider states.`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${host} has expired or is not valid yet. Set the clock of this computer if it is wrong; otherwise inform your provider.`
  }
  // As in SELF_SIGNED_CERT_IN_CHAIN and UNABLE_TO_VERIFY_LEAF_SIGNATURE.
  if (/CERT|SIGNATURE/.test(originalCode)) {
    return `The certificate of ${host} is not trusted: ${detail}. If it is of a private authority, start petstore with NODE_EXTRA_CA_CERTS, the file of that authority's certificate.`
  }
  switch (code) {
    case 'EAUTH':
      return `${host} refused the user name or the password${reply}`
    case 'EDNS':
      return `There is no mail server with the name ${host}.`
    case 'ETIMEDOUT':
      // A server that expects TLS waits for the client to begin.
      if (timeoutType === 'GREETING_TIMEOUT' && !isTls) {
        return `${host} does not respond on port ${port}. It may expect TLS from the start: try port 465, with --smtp smtps:// instead of smtp://.`
      }
      return `${host} does not respond on port ${port}. Compare both with what your provider states; a firewall may be in the way.`
    case 'EPROTOCOL':
      return `${host} does not respond on port ${port} as a mail server does${reply}`
    case 'EENVELOPE':
    case 'EMESSAGE':
      return `${host} refused the mail${reply === '' ? `: ${detail}` : reply}`
    case 'ETLS':
      return `The connection to ${host} cannot be encrypted: ${detail}.${isTls ? '' : ' Try port 465, with --smtp smtps:// instead of smtp://.'}`
    default:
      return `${host} cannot be reached on port ${port}: ${knownReason(Object.assign(new Error(), { code: originalCode })) ?? detail}.`
  }
}
