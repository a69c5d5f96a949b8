import { afterEach, expect, spyOn, test } from 'bun:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseSmtpUrl, type SmtpServer } from '../../config/mail.ts'
import { createManualClock, systemClock } from '../../lib/clock.ts'
import { type Letter, sendLetter, sendTimeoutMs } from './send.ts'
import {
  type MailServerOptions,
  mailPassword,
  mailUser,
  startMailServer,
  type TestMailServer,
} from './testing/mail-server.ts'

const started: TestMailServer[] = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop()
})

async function start(options: MailServerOptions = {}) {
  const server = await startMailServer(options)
  started.push(server)
  return server
}

const letter: Letter = {
  to: 'ada@shop.example',
  subject: 'Größe',
  text: 'Zwei Füchse\n\n.\nEnde 🐾\n',
  dateMs: Date.UTC(2026, 10, 20, 10, 15),
  id: 'test.1',
}

function serverOf(url: string): SmtpServer {
  const server = parseSmtpUrl(url)
  if (typeof server === 'string') throw new Error(server)
  return server
}

const send = (
  url: string,
  changes: Partial<Letter> = {},
  {
    password = mailPassword as string | undefined,
    clock = systemClock as typeof systemClock,
    signal = new AbortController().signal,
  } = {},
) => sendLetter({ server: serverOf(url), from: mailUser, password }, { ...letter, ...changes }, { clock, signal })

/** The message of the error of a mail that must fail. */
const failure = (sending: Promise<void>) =>
  sending.then(
    () => 'sent',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test.each(['smtps', 'smtp'] as const)(
  'a mail goes over %s encrypted, with the password, to one recipient',
  async (scheme) => {
    const server = await start({ scheme })
    await send(server.url)
    const [mail] = server.received
    expect(server.received).toHaveLength(1)
    expect(mail).toMatchObject({
      from: mailUser,
      to: [letter.to],
      subject: letter.subject,
      text: letter.text,
      id: '<test.1@shop.example>',
      isEncrypted: true,
      user: mailUser,
    })
    expect(mail?.raw).toContain('From: Pet Store <store@shop.example>\r\nTo: ada@shop.example\r\n')
    expect(mail?.raw).toContain('Auto-Submitted: auto-generated\r\n')
    expect(mail?.raw).toContain('Date: Fri, 20 Nov 2026 10:15:00 +0000\r\n')
  },
)

test('a domain with letters of any script is sent in ASCII, and EHLO has the name of the store or the domain of the sender', async () => {
  const server = await start()
  const place = { server: serverOf(server.url), from: 'store@bücher.example', password: mailPassword }
  const parts = { clock: systemClock, signal: new AbortController().signal }
  await sendLetter(place, { ...letter, to: 'ada@例子.example' }, parts)
  await sendLetter({ ...place, publishedAt: 'api.shop.example' }, letter, parts)
  const [mail, published] = server.received
  expect(mail).toMatchObject({
    id: '<test.1@xn--bcher-kva.example>',
    clientName: 'xn--bcher-kva.example',
  })
  expect(mail?.raw).toContain('To: ada@xn--fsqu00a.example\r\n')
  expect(mail?.raw).not.toMatch(/[^\0-\x7f]/)
  expect(published?.clientName).toBe('api.shop.example')
})

test('neither the password nor the mail is sent without encryption', async () => {
  const server = await start({ scheme: 'clear' })
  expect(await failure(send(server.url))).toMatch(/^MailError: The connection to localhost cannot be encrypted/)
  expect([server.attempts, server.received]).toEqual([[], []])
})

test.each(['smtps', 'smtp'] as const)(
  'over %s a certificate that is not valid says why, and what to do',
  async (scheme) => {
    const server = await start({ scheme })
    expect(await failure(send(server.url.replace('localhost', '127.0.0.1')))).toBe(
      'MailError: The certificate of 127.0.0.1 is for another name. Use the name of the mail server that your provider states.',
    )
    const trusted = getCACertificates('default')
    setDefaultCACertificates(getCACertificates('bundled'))
    try {
      expect(await failure(send(server.url))).toBe(
        "MailError: The certificate of localhost is not trusted: self signed certificate in certificate chain. If it is of a private authority, start petstore with NODE_EXTRA_CA_CERTS, the file of that authority's certificate.",
      )
    } finally {
      setDefaultCACertificates(trusted)
    }
    expect(server.received).toEqual([])
  },
)

test.each([-60, 1])(
  'a certificate that is valid from %d days on is compared with the clock of the computer',
  async (days) => {
    const server = await start({ notBeforeMs: Date.now() + days * 86_400_000 })
    expect(await failure(send(server.url))).toBe(
      'MailError: The certificate of localhost has expired or is not valid yet. Set the clock of this computer if it is wrong; otherwise inform your provider.',
    )
  },
)

test('the error for the wrong scheme, smtps or smtp, names the other one', async () => {
  const starttls = await start({ scheme: 'smtp' })
  expect(await failure(send(starttls.url.replace('smtp:', 'smtps:')))).toBe(
    `MailError: localhost does not begin with TLS on port ${starttls.port}. Try port 587, with --smtp smtp:// instead of smtps://.`,
  )
  const tls = await start({ scheme: 'smtps' })
  const { setTimeout: original } = globalThis
  // No wait for a greeting that never comes. Of all timers only that one has 20 seconds.
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) =>
    original(run, ms === 20_000 ? 0 : ms)) as typeof setTimeout)
  try {
    expect(await failure(send(`smtp://${mailUser}@127.0.0.1:${tls.port}`))).toBe(
      `MailError: 127.0.0.1 does not respond on port ${tls.port}. It may expect TLS from the start: try port 465, with --smtp smtps:// instead of smtp://.`,
    )
  } finally {
    timers.mockRestore()
  }
  expect([starttls.received, tls.received]).toEqual([[], []])
})

test('a silent server that should begin with TLS, and another program than a mail server, are distinguished', async () => {
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { setTimeout: original } = globalThis
  // Of all timers only that of the connection has nearly 30 seconds.
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) =>
    original(run, ms > 20_000 && ms <= 30_000 ? 50 : ms)) as typeof setTimeout)
  try {
    expect(await failure(send(`smtps://${mailUser}@127.0.0.1:${silent.port}`))).toBe(
      `MailError: 127.0.0.1 does not respond on port ${silent.port}. Compare both with what your provider states; a firewall may be in the way.`,
    )
  } finally {
    timers.mockRestore()
  }
  using other = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data() {}, open: (one) => void one.end('HTTP/1.1 400 \r\n') },
  })
  expect(await failure(send(`smtp://${mailUser}@127.0.0.1:${other.port}`))).toBe(
    `MailError: 127.0.0.1 does not respond on port ${other.port} as a mail server does: HTTP/1.1 400 `,
  )
})

test.each([
  ['a@shop.example, eve@evil.example'],
  ['Ada <ada@shop.example>'],
  ['ada@shop.example\r\nRCPT TO:<eve@evil.example>'],
  ['"a,b"@shop.example'],
])('%j is not a recipient', async (to) => {
  const server = await start()
  expect(await failure(send(server.url, { to }))).toMatch(
    /is not an address that mail can be sent to\. Change it in the settings\.$/,
  )
  expect(server.attempts).toEqual([])
})

test('a line break in a subject adds no header', async () => {
  const server = await start()
  await send(server.url, { subject: 'Hello\r\nBcc: eve@evil.example\r\n\r\nBody' })
  const [mail] = server.received
  expect(mail?.to).toEqual([letter.to])
  expect(mail?.raw).not.toMatch(/^Bcc:/im)
  expect(mail?.text).toBe(letter.text)
})

test.each([
  ['refuse sender', 'localhost refused the mail: 451 4.7.1 Not now, come back later'],
  ['refuse recipient', 'localhost refused the mail: 550 5.1.1 No such mailbox'],
  ['refuse mail', 'localhost refused the mail: 554 5.6.0 Spam'],
  ['take and drop', 'localhost cannot be reached on port PORT: Connection closed unexpectedly.'],
] as const)('the error of a server that does "%s" says so', async (conduct, message) => {
  const server = await start()
  server.set(conduct)
  expect(await failure(send(server.url))).toBe(`MailError: ${message.replace('PORT', String(server.port))}`)
})

test('the errors of a wrong password, a server that is away and a name that does not exist say what is wrong', async () => {
  const server = await start()
  expect(await failure(send(server.url, {}, { password: 'wrong' }))).toBe(
    'MailError: localhost refused the user name or the password: 535 5.7.8 Wrong password',
  )
  await server.stop()
  expect(await failure(send(server.url))).toMatch(
    /^MailError: localhost cannot be reached on port \d+: nothing listens there\.$/,
  )
  expect(await failure(send('smtps://a@absent.invalid'))).toBe(
    'MailError: There is no mail server with the name absent.invalid.',
  )
})

test('a server that does not finish is abandoned after a minute, and a stop of the service does not wait for it', async () => {
  const server = await start()
  server.set('hang')
  const clock = createManualClock(0)
  const arrived = server.nextMail()
  const sending = failure(send(server.url, {}, { clock }))
  await arrived
  clock.advance(sendTimeoutMs)
  expect(await sending).toBe('MailError: localhost did not accept the mail within a minute.')
  const stopping = new AbortController()
  const second = server.nextMail()
  const ended = failure(send(server.url, {}, { signal: stopping.signal }))
  await second
  stopping.abort()
  expect(await ended).toStartWith('AbortError: ')
})
