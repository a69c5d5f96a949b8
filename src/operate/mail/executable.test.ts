/** Mail of the compiled executable: its options, and a crash between an attempt and its result. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBrowser, ownerEmail } from '../../owner/testing/dashboard.ts'
import { emptyFolder, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'
import { mailPassword, startMailServer } from './testing/mail-server.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

test.skipIf(!isBuilt)(
  'a mail that the server took, but whose result a crash has lost, is sent again with the same id',
  async () => {
    const server = await startMailServer()
    const passwordFile = join(folder.path, 'password')
    writeFileSync(passwordFile, `${mailPassword}\n`)
    const args = ['--data', folder.path, '--smtp', server.url, '--smtp-password-file', passwordFile]
    const options = { cwd: folder.path, env: { NODE_EXTRA_CA_CERTS: server.certificateFile } }
    const first = await startPetstoreProcess(args, options)
    const browser = createBrowser(first.ready.url)
    await browser.setUp(/token=(.*)$/.exec(first.ready.setupUrl ?? '')?.[1] ?? '')
    server.set('hang')
    const taken = server.nextMail()
    expect((await browser.post('/dashboard/password-link', { email: ownerEmail })).status).toBe(204)
    await taken
    await first.kill()
    server.set('accept')
    const again = server.nextMail()
    const second = await startPetstoreProcess(args, options)
    await again
    await second.stop()
    await server.stop()
    expect(server.received).toHaveLength(2)
    expect(server.received[1]?.id).toBe(server.received[0]?.id as string)
    expect(server.received.map(({ isEncrypted, to }) => [isEncrypted, to])).toEqual([
      [true, [ownerEmail]],
      [true, [ownerEmail]],
    ])
  },
)

const serve = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runPetstore(['serve', '--port', '0', '--data', join(folder.path, 'data'), ...args], { cwd: folder.path, env })

test.skipIf(!isBuilt).each([
  [['--smtp', 'mail.example.com'], '--smtp must be smtps://USER@HOST:465, or smtp://USER@HOST:587 for STARTTLS.'],
  [['--smtp', 'smtps://a:secret@mail.example.com'], 'the password does not belong in it.'],
  [['--smtp', 'smtps://a@mail.example.com'], '--mail-from is missing, the address of the sender.'],
  [['--smtp', 'smtps://m.example', '--mail-from', 'a@b.example,c@d.example'], '--mail-from must be one e-mail address'],
  [
    ['--smtp', 'smtps://a@b.example@m.example'],
    '--smtp names a user: set PETSTORE_SMTP_PASSWORD, or give --smtp-password-file.',
  ],
  [['--mail-from', 'a@b.example'], '--mail-from needs --smtp, the mail server.'],
  [
    ['--smtp-password', 'secret'],
    '--smtp-password is not an option, since others can read command lines: set PETSTORE_SMTP_PASSWORD.',
  ],
])('serve %p is wrong usage', async (args, message) => {
  const { code, err } = await serve(args)
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
  expect(err).not.toContain(':secret')
})

test.skipIf(!isBuilt)('a file with the password that cannot be read ends the start', async () => {
  const { code, err } = await serve(['--smtp', 'smtps://a%40b.example@m.example', '--smtp-password-file', 'absent'])
  expect([code, err]).toEqual([
    1,
    `petstore: The password in ${join(folder.path, 'absent')} cannot be read: there is no such file.\n`,
  ])
})

test.skipIf(!isBuilt)('help names the variable of the password, and no option of it', async () => {
  const { out } = await runPetstore(['help', 'serve'], { cwd: folder.path })
  expect(out).toContain('  PETSTORE_SMTP_PASSWORD ')
  expect(out).not.toContain('--smtp-password ')
  const { out: json } = await runPetstore(['help', 'serve', '--json'], { cwd: folder.path })
  expect(json).not.toContain('"--smtp-password"')
})
