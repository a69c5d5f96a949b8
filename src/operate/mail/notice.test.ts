import { afterEach, beforeEach, expect, test } from 'bun:test'
import { retryWaitsMs } from '../retry-schedule.ts'
import { startMailServer, type TestMailServer } from './testing/mail-server.ts'
import { dayMs, hourMs, type MailStoreForTests, mailOf, minuteMs, openMailStore, until } from './testing/store.ts'

let server: TestMailServer
let store: MailStoreForTests
beforeEach(async () => {
  server = await startMailServer()
  store = await openMailStore({ mail: mailOf(server) })
})
afterEach(async () => {
  await store.close()
  await server.stop()
})

const subjects = () => server.received.map(({ subject }) => subject)

test('what needs attention is mailed when it appears, together, then once a day, and once when all is well', async () => {
  await store.pass(5 * minuteMs)
  expect(subjects()).toEqual([])
  store.begin('disk_low', '/srv/petstore')
  store.begin('clock_wrong')
  await store.pass(3 * minuteMs)
  expect(subjects()).toEqual(['2 things need your attention'])
  expect(server.received[0]?.to).toEqual(['ada@shop.example'])
  expect(server.received[0]?.text).toContain(
    '* The disk of the store is nearly full, since 20 November 2026, 10:20 UTC.',
  )
  expect(server.received[0]?.text).toContain('* The clock of the computer is wrong')
  await store.pass(23 * hourMs)
  expect(server.received).toHaveLength(1)
  await store.pass(hourMs)
  expect(server.received).toHaveLength(2)
  store.items.splice(1)
  await store.pass(dayMs + hourMs)
  expect(subjects().slice(2)).toEqual(['The disk of the store is nearly full'])
  expect(server.received[2]?.text).toContain('* The clock of the computer is wrong: no longer.')
  store.items.splice(0)
  await store.pass(5 * minuteMs)
  expect(server.received).toHaveLength(3)
  await store.pass(3 * dayMs)
  expect(subjects().slice(3)).toEqual(['All is well again'])
  expect(server.received[3]?.text).toContain('* The disk of the store is nearly full: no longer.')
})

test('faults that begin in the same minute share one mail', async () => {
  await store.pass(minuteMs)
  store.begin('storage_fault', 'The disk is full.')
  store.clock.advance(45_000)
  store.begin('disk_low', '/srv/petstore')
  await store.pass(3 * minuteMs)
  expect(subjects()).toEqual(['2 things need your attention'])
})

test('a later fault is mailed at once, with those that remain', async () => {
  store.begin('disk_low', '/srv/petstore')
  await store.pass(3 * minuteMs)
  store.begin('certificate_failed', 'shop.example', 7)
  await store.pass(3 * minuteMs)
  expect(subjects()).toEqual(['The disk of the store is nearly full', '2 things need your attention'])
  expect(server.received[1]?.text).toContain('/projects/7/domains')
})

test('faults that end within a minute, that come and go, or that only the overview shows cause no extra mail', async () => {
  store.begin('order_waiting', 'Ada', 1)
  await store.pass(5 * minuteMs)
  for (let i = 0; i < 5; i++) {
    store.begin('storage_fault', 'The disk is full.')
    store.clock.advance(20_000)
    store.items.splice(1)
    await store.pass(minuteMs)
  }
  expect(subjects()).toEqual([])
  store.begin('disk_low', '/srv/petstore')
  await store.pass(3 * minuteMs)
  for (let i = 0; i < 10; i++) {
    const [item] = store.items.splice(1)
    await store.pass(5 * minuteMs)
    if (item) store.items.push(item)
    await store.pass(5 * minuteMs)
  }
  expect(subjects()).toEqual(['The disk of the store is nearly full'])
})

test('another reason for the same fault causes no extra mail, and does not report that the fault is over', async () => {
  const reason = (mb: number) => `No backup was made: 2.0 MB are needed on the disk, which has ${mb} MB.`
  store.begin('backup_failed', reason(1.9))
  await store.pass(3 * minuteMs)
  const { sinceMs } = store.items[0] ?? { sinceMs: 0 }
  for (const mb of [1.8, 1.7, 1.6]) {
    store.items.splice(0, 1, { kind: 'backup_failed', id: null, name: reason(mb), sinceMs })
    await store.pass(hourMs)
  }
  expect(subjects()).toEqual(['The last backup failed'])
  await store.pass(22 * hourMs)
  expect(subjects()).toEqual(['The last backup failed', 'The last backup failed'])
  expect(server.received[1]?.text).toContain('which has 1.6 MB.')
  expect(server.received[1]?.text).not.toContain('What is well again')
})

test('while the mail server is down for three days each attempt is on the schedule, and the mail arrives once it is back', async () => {
  const { port } = server
  await server.stop()
  store.begin('disk_low', '/srv/petstore')
  await store.pass(3 * minuteMs)
  const [waiting] = store.app.mails.all()
  expect(waiting).toMatchObject({ kind: 'attention', failures: 2, sentAt: null })
  for (let failures = 3; failures <= 6; failures++) {
    const before = store.app.mails.all()[0]?.nextAt ?? 0
    await store.pass(before - store.clock.now() + minuteMs, minuteMs)
    const after = store.app.mails.all()[0]
    expect(after?.failures).toBe(failures)
    expect((after?.nextAt ?? 0) - store.clock.now()).toBeGreaterThan((retryWaitsMs[failures - 1] ?? 0) - 3 * minuteMs)
    expect((after?.nextAt ?? 0) - store.clock.now()).toBeLessThanOrEqual((retryWaitsMs[failures - 1] ?? 0) * 1.1)
  }
  const overview = (await store.call('GET', '/v1/overview')).json.attention
  expect(overview).toContainEqual(
    expect.objectContaining({ kind: 'mail_failed', name: expect.stringContaining('localhost cannot be reached') }),
  )
  await store.pass(2 * dayMs)
  store.begin('clock_wrong')
  await store.pass(10 * hourMs)
  server = await startMailServer({ port })
  await store.pass(dayMs)
  expect(subjects()).toEqual(['2 things need your attention'])
  expect(server.received[0]?.text).toContain('The disk of the store is nearly full, since 20 November 2026')
  expect((await store.call('GET', '/v1/overview')).json.attention).not.toContainEqual(
    expect.objectContaining({ kind: 'mail_failed' }),
  )
}, 60_000)

test('the mail about a disk that accepts no writes is sent once although nothing can be stored, and is stored later', async () => {
  const { database, app, clock } = store
  await store.pass(minuteMs)
  database.connection.run('PRAGMA query_only = ON')
  const add = () => store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  expect((await add()).status).toBe(503)
  // It cannot be made now, and holds up no other.
  const asked = await store.browser().post('/dashboard/password-link', { email: 'ada@shop.example' })
  expect(asked.status).toBe(204)
  await store.settle()
  const minutes = async (number: number) => {
    for (let i = 0; i < number; i++) {
      clock.advance(minuteMs)
      await store.settle()
    }
  }
  await minutes(2)
  clock.advance(1_000)
  await until(() => app.mail.view().lastSentAt !== null)
  const reported = () => app.mails.all().filter(({ kind }) => kind === 'attention')
  expect(reported()).toEqual([])
  await minutes(100)
  expect(subjects()).toEqual(['The store cannot save changes'])
  expect(server.received[0]?.text).toContain(
    'The database is read-only. Make its disk and its files writable for the user that runs petstore.',
  )
  database.connection.run('PRAGMA query_only = OFF')
  await store.pass(2 * hourMs)
  expect(subjects()).toEqual(['The store cannot save changes', 'All is well again'])
  await store.pass(dayMs)
  expect(server.received).toHaveLength(2)
  expect(reported()).toMatchObject([{ nextAt: null, failures: 0 }])
})

test('names and addresses add no lines to a mail', async () => {
  store.begin('disk_low', '/srv/a\r\n\r\nBcc: eve@evil.example\u2028\u202e')
  await store.pass(3 * minuteMs)
  const [mail] = server.received
  expect(mail?.to).toEqual(['ada@shop.example'])
  expect(mail?.raw).not.toMatch(/^Bcc:/im)
  expect(mail?.text).toContain(String.raw`/srv/a\u{d}\u{a}\u{d}\u{a}Bcc: eve@evil.example\u{2028}\u{202e}`)
})

test('a mail goes to the address that the owner has when it is sent', async () => {
  server.set('refuse mail')
  store.begin('disk_low', '/srv/petstore')
  await store.pass(2 * minuteMs)
  expect(server.attempts).toContain('ada@shop.example')
  server.attempts.splice(0)
  const changed = await store.owner.post('/dashboard/email', {
    email: 'joerg@bücher.example',
    password: 'correct horse battery',
  })
  expect(changed.status).toBe(200)
  server.set('accept')
  await store.pass(10 * minuteMs)
  expect(server.attempts).toEqual(['joerg@bücher.example'])
  expect(server.received).toHaveLength(1)
})
