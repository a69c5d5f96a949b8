/**
 * A real mail server on loopback for tests: TLS, STARTTLS or neither; it refuses, delays and drops mails as a test
 * demands.
 */

import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { createIssuer } from '../../../hosting/certificates/testing/issuer.ts'
import { emptyFolder } from '../../../testing/executable.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The message as it was sent, and its decoded text. */
  readonly raw: string
  readonly subject: string
  readonly text: string
  readonly id: string
  readonly isEncrypted: boolean
  readonly user: string | undefined
  /** The name that the client has given to EHLO. */
  readonly clientName: string
}

/** What the server does with the next mails. */
export type Conduct =
  | 'accept'
  | 'refuse sender'
  | 'refuse recipient'
  | 'greylist'
  | 'refuse mail'
  | 'take and drop'
  | 'hang'

export interface MailServerOptions {
  /** `smtps`, or `smtp` with STARTTLS, or `clear`: without any encryption. */
  readonly scheme?: 'smtps' | 'smtp' | 'clear'
  readonly port?: number
  readonly password?: string
  /** When its certificate begins to be valid, Unix milliseconds. */
  readonly notBeforeMs?: number
}

export const mailPassword = 'a password of mail'
export const mailUser = 'store@shop.example'

/** The certificate authority of the servers, which this process trusts from then on. Created once a process. */
let authority: ReturnType<typeof createIssuer> | undefined

async function createAuthority() {
  const issuer = await createIssuer('Mail test CA')
  setDefaultCACertificates([...getCACertificates('default'), issuer.root])
  return issuer
}

export async function startMailServer({
  scheme = 'smtps',
  port = 0,
  password = mailPassword,
  notBeforeMs,
}: MailServerOptions = {}) {
  authority ??= createAuthority()
  const { root, server: certify } = await authority
  const { cert, key } = await certify(['localhost'], notBeforeMs)
  const folder = emptyFolder()
  const certificateFile = join(folder.path, 'root.pem')
  writeFileSync(certificateFile, root)
  const received: ReceivedMail[] = []
  const attempts: string[] = []
  let conduct: Conduct = 'accept'
  const waiting = new Set<() => void>()
  const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

  const server = new SMTPServer({
    secure: scheme === 'smtps',
    disabledCommands: scheme === 'clear' ? ['STARTTLS'] : [],
    authOptional: true,
    allowInsecureAuth: true,
    key,
    cert,
    logger: false,
    closeTimeout: 1,
    onAuth({ username, password: sent }, _session, callback) {
      if (sent === password) callback(null, { user: username })
      else callback(refusal(535, '5.7.8 Wrong password'))
    },
    onMailFrom(_address, _session, callback) {
      callback(conduct === 'refuse sender' ? refusal(451, '4.7.1 Not now, come back later') : null)
    },
    onRcptTo({ address }, _session, callback) {
      attempts.push(address)
      if (conduct === 'refuse recipient') callback(refusal(550, '5.1.1 No such mailbox'))
      else callback(conduct === 'greylist' ? refusal(450, '4.2.0 Greylisted') : null)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const keep = () => received.push(readMail(raw, session))
        for (const notify of waiting) notify()
        if (conduct === 'refuse mail') callback(refusal(554, '5.6.0 Spam'))
        else if (conduct === 'hang') keep()
        else if (conduct === 'take and drop') {
          keep()
          for (const connection of server.connections) connection._socket.destroy()
        } else {
          keep()
          callback(null)
        }
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const actual = (server.server.address() as AddressInfo).port

  return {
    port: actual,
    /** The value of `--smtp`. */
    url: `${scheme === 'smtps' ? 'smtps' : 'smtp'}://${mailUser}@localhost:${actual}`,
    /** For `NODE_EXTRA_CA_CERTS` of another process. */
    certificateFile,
    received,
    /** The recipients of all attempts. */
    attempts,
    set(next: Conduct): void {
      conduct = next
    },
    /** Resolves when the server has been sent the whole of another mail. */
    nextMail: () =>
      new Promise<void>((resolve) => {
        const notify = () => {
          waiting.delete(notify)
          resolve()
        }
        waiting.add(notify)
      }),
    stop: () =>
      new Promise<void>((resolve) => {
        for (const connection of server.connections) connection._socket.destroy()
        folder.remove()
        server.close(() => resolve())
      }),
  }
}
export type TestMailServer = Awaited<ReturnType<typeof startMailServer>>

interface Session {
  readonly envelope: {
    readonly mailFrom: false | { readonly address: string }
    readonly rcptTo: readonly { readonly address: string }[]
  }
  readonly secure: boolean
  readonly user?: unknown
  readonly hostNameAppearsAs?: unknown
}

function readMail(raw: string, { envelope, secure, user, hostNameAppearsAs }: Session): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    raw,
    subject: decodedWords(header('Subject')),
    text: decodedBody(rest.join('\r\n\r\n'), header('Content-Transfer-Encoding')),
    id: header('Message-ID'),
    isEncrypted: secure,
    user: typeof user === 'string' ? user : undefined,
    clientName: String(hostNameAppearsAs),
  }
}

function decodedBody(body: string, coding: string): string {
  const decoded =
    coding === 'quoted-printable'
      ? bytesOf(body.replaceAll(/=\r\n/g, ''))
      : coding === 'base64'
        ? Buffer.from(body, 'base64').toString('utf8')
        : body
  return decoded.replaceAll('\r\n', '\n')
}

/** RFC 2047. */
function decodedWords(text: string): string {
  return text
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, coding: string, word: string) =>
      coding.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : bytesOf(word.replaceAll('_', ' ')),
    )
}

function bytesOf(text: string): string {
  const latin = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(latin, 'latin1').toString('utf8')
}
