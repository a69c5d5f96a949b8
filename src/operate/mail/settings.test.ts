/** The settings of mail in the dashboard, links for a new password, and the hold after a restore. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ownerEmail, ownerPassword } from '../../owner/testing/dashboard.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { testStart } from '../../testing/harness.ts'
import { createBackup } from '../backups/create.ts'
import { restoreBackup } from '../backups/restore.ts'
import { mailPassword, mailUser, startMailServer, type TestMailServer } from './testing/mail-server.ts'
import { hourMs, type MailStoreForTests, mailOf, minuteMs, openMailStore } from './testing/store.ts'

let folder: ReturnType<typeof emptyFolder>
let databasePath: string
let server: TestMailServer
let store: MailStoreForTests
beforeEach(async () => {
  folder = emptyFolder()
  databasePath = join(folder.path, 'production.db')
  server = await startMailServer({ scheme: 'smtp' })
})
afterEach(async () => {
  await store.close()
  await server.stop()
  folder.remove()
})

const secretsPath = () => join(folder.path, 'production-secrets.json')
const view = async () => (await store.owner.get('/dashboard/mail')).json
const save = (changes: object = {}) =>
  store.owner.post('/dashboard/mail', {
    password: ownerPassword,
    smtp: server.url,
    from: 'shop@shop.example',
    smtpPassword: mailPassword,
    ...changes,
  })

test('the owner sets the mail server with the password of the dashboard, and gets a test mail', async () => {
  store = await openMailStore({ databasePath })
  expect(await view()).toEqual({
    smtp: null,
    from: null,
    isGiven: false,
    lastSentAt: null,
    fault: null,
    to: ownerEmail,
  })
  expect((await store.owner.post('/dashboard/mail/test')).json.code).toBe('mail_off')
  const wrong = await save({ password: 'not the password' })
  expect([wrong.status, wrong.json.code]).toEqual([403, 'wrong_password'])
  expect((await save()).status).toBe(204)
  const url = server.url.replace('store@', 'store%40')
  expect(await view()).toMatchObject({ smtp: url, from: 'shop@shop.example', isGiven: false })
  expect((await store.owner.post('/dashboard/mail/test')).status).toBe(204)
  expect(server.received).toMatchObject([
    { subject: 'Mail works', from: 'shop@shop.example', to: [ownerEmail], user: mailUser, isEncrypted: true },
  ])
  const [entry] = (await store.call('GET', '/v1/audit?action=mail.changed')).json
  expect(entry).toMatchObject({ actor: 'owner', details: { from: 'shop@shop.example' } })
  server.set('refuse recipient')
  const refused = await store.owner.post('/dashboard/mail/test')
  expect([refused.status, refused.json.code]).toEqual([502, 'mail_failed'])
  expect(refused.json.message).toBe('localhost refused the mail: 550 5.1.1 No such mailbox')
  const count = server.received.length
  server.set('greylist')
  expect((await store.owner.post('/dashboard/mail/test')).json.message).toBe(
    'localhost refused the mail: 450 4.2.0 Greylisted. It is tried again.',
  )
  server.set('accept')
  await store.pass(3_600_000)
  expect(server.received.slice(count)).toMatchObject([{ subject: 'Mail works' }])
})

test('the mail server is greeted with the public name of the store, or else with the domain of the sender', async () => {
  store = await openMailStore({ databasePath })
  await save({ from: 'shop@bücher.example' })
  const { owner, writer } = store.app
  const sender = 'xn--bcher-kva.example'
  for (const [origin, name] of [
    ['https://api.shop.example', 'api.shop.example'],
    ['http://127.0.0.1:8080', sender],
    ['http://[::1]:8080', sender],
    ['http://localhost:8080', sender],
    ['http://api.shop.localhost:8088', sender],
  ] as const) {
    await writer.write(() => owner.updateInstallation({ dashboardUrl: `${origin}/dashboard` }))
    expect((await store.owner.post('/dashboard/mail/test')).status).toBe(204)
    expect([origin, server.received.at(-1)?.clientName]).toEqual([origin, name])
  }
})

test('the password of the mail server is only in a separate file, which no backup has', async () => {
  store = await openMailStore({ databasePath })
  await save()
  expect(statSync(secretsPath()).mode & 0o777).toBe(0o600)
  expect(readFileSync(secretsPath(), 'utf8')).toContain(mailPassword)
  expect(JSON.stringify(await view())).not.toContain(mailPassword)
  const backup = createBackup({ databasePath, environment: 'production' }, store.clock.now)
  for (const path of [databasePath, `${databasePath}-wal`, backup.file]) {
    expect(readFileSync(path).includes(mailPassword)).toBe(false)
  }
  // Without a password the one of the same server and user remains; another server never gets it.
  expect((await save({ from: 'other@shop.example', smtpPassword: undefined })).status).toBe(204)
  expect((await store.owner.post('/dashboard/mail/test')).status).toBe(204)
  const elsewhere = await save({ smtp: 'smtps://store@other.example', smtpPassword: undefined })
  expect([elsewhere.status, elsewhere.json.message]).toEqual([400, 'smtpPassword is needed for a new server or user.'])
  expect((await store.owner.send('/dashboard/mail', { method: 'DELETE' })).status).toBe(204)
  expect(readFileSync(secretsPath(), 'utf8')).not.toContain(mailPassword)
  expect((await view()).smtp).toBeNull()
})

test.each([
  [{ smtp: 'mail.example.com' }, 'smtp must be smtps://'],
  [{ smtp: 'smtps://user:secret@mail.example.com' }, 'the password does not belong in it'],
  [{ smtp: 'smtps://mail.example.com/path' }, 'smtp must be smtps://'],
  [{ smtp: 'smtps://mail.example.com:0' }, 'smtp must be smtps://'],
  [{ smtp: 'smtps://mail.exam\nple.com' }, 'smtp must be smtps://'],
  [{ smtp: '' }, 'smtp must be smtps://'],
  [{ from: 'a@shop.example, b@shop.example' }, 'from must be one e-mail address'],
  [{ from: 'Shop <shop@shop.example>' }, 'from must be one e-mail address'],
])('settings with %j are rejected', async (changes, message) => {
  store = await openMailStore({ databasePath })
  const { status, json } = await save(changes)
  expect([status, json.code]).toEqual([400, 'invalid_body'])
  expect(json.message).toContain(message)
  expect(existsSync(secretsPath())).toBe(false)
})

test('a damaged file of secrets is reported, and mail fails with a reason', async () => {
  store = await openMailStore({ databasePath })
  await save()
  await Bun.write(secretsPath(), '[1]')
  const { json } = await store.owner.post('/dashboard/mail/test')
  expect(json.message).toBe(
    `The secrets in ${secretsPath()} cannot be read: it is not JSON. Delete the file, then enter the passwords again.`,
  )
})

test('a store without the password of its mail server, such as a restored one, reports it before a mail is due', async () => {
  store = await openMailStore({ databasePath })
  await save()
  rmSync(secretsPath())
  const message = `The password of ${mailUser} at localhost is missing. Enter it again.`
  expect((await view()).fault).toBe(message)
  expect(store.app.attention.items(store.clock.now())).toContainEqual({
    kind: 'mail_failed',
    id: null,
    name: message,
    sinceMs: expect.any(Number),
  })
  expect((await store.owner.post('/dashboard/mail/test')).json.message).toBe(message)
  await save()
  expect((await view()).fault).toBeNull()
  expect(store.app.attention.items(store.clock.now())).toEqual([])
})

test('an address of the owner that cannot receive mail is reported before a mail is due', async () => {
  store = await openMailStore({ databasePath })
  await save()
  const email = 'ada,eve@shop.example'
  const { owner, writer } = store.app
  // Versions before this one accepted it.
  await writer.write(() => owner.update({ email }))
  const message = `${email} is not an address that mail can be sent to. Change it in the settings.`
  expect((await view()).fault).toBe(message)
  expect(store.app.attention.items(store.clock.now())).toMatchObject([{ kind: 'mail_failed', name: message }])
  expect((await store.owner.post('/dashboard/mail/test')).json.message).toBe(message)
  expect((await store.owner.send('/dashboard/mail', { method: 'DELETE' })).status).toBe(204)
  expect((await view()).fault).toBeNull()
  expect(server.attempts).toEqual([])
})

test('a mail that waits when mail is turned off is never sent; current faults are mailed when it is turned on again', async () => {
  store = await openMailStore({ databasePath })
  await save()
  server.set('refuse mail')
  store.begin('disk_low', '/srv/petstore')
  await store.pass(2 * minuteMs)
  expect((await view()).fault).toContain('Spam')
  expect((await store.owner.send('/dashboard/mail', { method: 'DELETE' })).status).toBe(204)
  expect((await view()).fault).toBeNull()
  store.items.splice(0)
  await store.pass(hourMs)
  server.set('accept')
  await save()
  await store.pass(15 * minuteMs)
  expect(server.received).toEqual([])
  store.begin('clock_wrong')
  await store.pass(2 * minuteMs)
  expect(server.received.map(({ subject }) => subject)).toEqual(['The clock of the computer is wrong'])
})

test('a mail server of the options takes precedence over the settings, which are locked', async () => {
  store = await openMailStore({ databasePath })
  await save({ from: 'settings@shop.example' })
  await store.close()
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  await store.owner.signIn()
  expect(await view()).toMatchObject({ from: mailUser, isGiven: true })
  expect((await save()).json.code).toBe('conflict')
  expect((await store.owner.send('/dashboard/mail', { method: 'DELETE' })).json.code).toBe('conflict')
  expect((await store.owner.post('/dashboard/mail/test')).status).toBe(204)
  expect(server.received[0]?.from).toBe(mailUser)
})

const ask = (email: string) => store.browser().post('/dashboard/password-link', { email })
const tokenOf = (text: string) => /#token=([\w-]{43})$/m.exec(text)?.[1] ?? ''

test('a forgotten password is replaced by a link that is mailed, works once, for 30 minutes', async () => {
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  expect((await store.browser().get('/dashboard/session')).json.sendsMail).toBe(true)
  expect((await ask(` ${ownerEmail.toUpperCase()} `)).status).toBe(204)
  await store.pass(2 * minuteMs)
  const [mail] = server.received
  expect(mail).toMatchObject({ subject: 'Choose a new password', to: [ownerEmail] })
  const token = tokenOf(mail?.text ?? '')
  // Nobody who reads the database or a backup of it has the link.
  expect(readFileSync(`${databasePath}-wal`).includes(token)).toBe(false)
  const check = await store.browser().post('/dashboard/setup-link', { token })
  expect(check.json).toEqual({ isUsable: true, hasOwner: true, email: ownerEmail })
  expect((await store.browser().setUp(token, ownerEmail, 'another long password')).status).toBe(200)
  expect((await store.browser().setUp(token, ownerEmail, 'a third long password')).status).toBe(403)
  expect((await store.owner.get('/dashboard/session')).status).toBe(401)
  expect((await store.browser().signIn(ownerEmail, 'another long password')).status).toBe(200)
  const [entry] = (await store.call('GET', '/v1/audit?action=owner.changed')).json
  expect(entry.details).toEqual({ email: ownerEmail, password: 'changed' })
  await ask(ownerEmail)
  await store.pass(12 * minuteMs)
  await ask(ownerEmail)
  await store.pass(32 * minuteMs)
  const late = tokenOf(server.received.at(-1)?.text ?? '')
  expect((await store.browser().post('/dashboard/setup-link', { token: late })).json.isUsable).toBe(false)
})

test('the response is the same for an address that is not the owner’s, and for one that requests too often', async () => {
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  const seen = (result: Awaited<ReturnType<typeof ask>>) => [
    result.status,
    result.text,
    [...result.headers.keys()].sort(),
  ]
  const first = seen(await ask(ownerEmail))
  await store.pass(2 * minuteMs)
  expect(server.received).toHaveLength(1)
  for (const email of ['eve@evil.example', '', 'no address', `${ownerEmail}, eve@evil.example`]) {
    expect(seen(await ask(email))).toEqual(first)
  }
  for (let i = 0; i < 20; i++) expect(seen(await ask(ownerEmail))).toEqual(first)
  await store.pass(5 * minuteMs)
  expect(server.received).toHaveLength(1)
  await store.pass(5 * minuteMs)
  await ask(ownerEmail)
  await store.pass(2 * minuteMs)
  expect(server.received).toHaveLength(2)
})

test('without mail nobody can request a link, and the page knows it', async () => {
  store = await openMailStore({ databasePath })
  const { status, json } = await ask(ownerEmail)
  expect([status, json.code]).toEqual([409, 'mail_off'])
  expect(json.message).toContain('petstore owner reset')
  expect((await store.browser().get('/dashboard/session')).json.sendsMail).toBe(false)
})

test('a change of the address ends the link that was mailed to the old one, and the mail that was not sent yet', async () => {
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  const change = (email: string) => store.owner.post('/dashboard/email', { email, password: ownerPassword })
  await ask(ownerEmail)
  await store.pass(2 * minuteMs)
  const token = tokenOf(server.received[0]?.text ?? '')
  expect((await change('new@shop.example')).status).toBe(200)
  expect((await store.browser().setUp(token)).status).toBe(403)
  await store.pass(10 * minuteMs)
  server.set('refuse mail')
  await ask('new@shop.example')
  await store.pass(minuteMs)
  expect(server.attempts.at(-1)).toBe('new@shop.example')
  await change('newer@shop.example')
  server.set('accept')
  await store.pass(hourMs)
  expect(server.received).toHaveLength(1)
})

test('a waiting mail survives a restart', async () => {
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  server.set('refuse mail')
  store.begin('disk_low', '/srv/petstore')
  await store.pass(2 * minuteMs)
  await store.close()
  server.set('accept')
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  store.begin('disk_low', '/srv/petstore')
  await store.pass(8 * minuteMs)
  expect(server.received.map(({ subject }) => subject)).toEqual(['The disk of the store is nearly full'])
})

test('a store on hold sends no mail until the owner confirms, and then mails every fault again', async () => {
  store = await openMailStore({ databasePath, mail: mailOf(server) })
  server.set('refuse mail')
  store.begin('disk_low', '/srv/petstore')
  await store.pass(2 * minuteMs)
  const place = { databasePath, environment: 'production' } as const
  const backup = createBackup(place, store.clock.now)
  await store.close()
  const attempts = server.attempts.length
  mkdirSync(join(folder.path, 'new-machine'))
  const restored = join(folder.path, 'new-machine/production.db')
  restoreBackup(backup.file, { ...place, databasePath: restored }, () => testStart)
  server.set('accept')
  store = await openMailStore({ databasePath: restored, mail: mailOf(server) })
  await store.owner.signIn()
  store.begin('disk_low', '/srv/petstore')
  for (let i = 0; i < 120; i++) store.clock.advance(minuteMs)
  expect((await ask(ownerEmail)).json.code).toBe('mail_off')
  expect((await store.owner.post('/dashboard/mail/test')).json).toMatchObject({
    code: 'mail_off',
    message: 'No mail is sent until you confirm that this machine now runs the restored store: Settings → Backups.',
  })
  expect(store.app.attention.items(store.clock.now()).map(({ kind }) => kind)).toContain('restored_elsewhere')
  await store.app.writer.write(store.app.hold.confirm)
  expect([server.attempts.length, server.received]).toEqual([attempts, []])
  await store.pass(5 * minuteMs)
  expect(server.received.map(({ subject }) => subject)).toEqual(['The disk of the store is nearly full'])
})
