import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openTestDashboard, ownerEmail, type TestBrowser, type TestDashboard } from '../../owner/testing/dashboard.ts'

const dayMs = 86_400_000

let dashboard: TestDashboard
let browser: TestBrowser
beforeEach(async () => {
  dashboard = await openTestDashboard()
  browser = await dashboard.setUp()
})
afterEach(() => dashboard.close())

test('a session names the owner, the account and the environment', async () => {
  const { status, json } = await browser.get('/dashboard/session')
  expect([status, json]).toMatchObject([
    200,
    {
      owner: { email: ownerEmail },
      hasOwner: true,
      environment: 'production',
      account: { id: 1, name: 'Store' },
      session: { device: 'Firefox on Linux', address: '127.0.0.1', isCurrent: true },
      connection: { kind: 'this_machine', message: null },
    },
  ])
})

test('a cookie that was copied before the sign-out is worthless after it', async () => {
  const thief = dashboard.browser()
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  expect((await thief.get('/dashboard/session')).status).toBe(200)
  const signedOut = await browser.post('/dashboard/sign-out')
  // What the page has fetched leaves the cache of the browser too.
  expect([signedOut.status, signedOut.headers.get('clear-site-data')]).toEqual([204, '"cache"'])
  const { status, json } = await thief.get('/dashboard/session')
  expect([status, json]).toMatchObject([401, { code: 'signed_out', status: 401, hasOwner: true }])
  expect((await thief.post('/dashboard/token')).status).toBe(401)
  expect((await browser.get('/dashboard/session')).status).toBe(401)
})

test('signing out twice, or without a session, changes nothing', async () => {
  await browser.post('/dashboard/sign-out')
  expect((await browser.post('/dashboard/sign-out')).status).toBe(204)
  expect((await dashboard.browser().post('/dashboard/sign-out')).status).toBe(204)
})

test('every sign-in has a new cookie, and ends the session that the browser had', async () => {
  const before = new Map(browser.cookies)
  expect((await browser.signIn()).status).toBe(200)
  const names = [...browser.cookies.keys()].filter((name) => !name.includes('browser'))
  expect(names).toHaveLength(1)
  expect(browser.cookies.get(names[0] ?? '')).not.toBe(before.get(names[0] ?? ''))
  expect((await browser.get('/dashboard/sessions')).json).toHaveLength(1)
})

test('the database contains neither the cookie nor the password', async () => {
  const { owner } = dashboard.app
  const stored = JSON.stringify([owner.find(), owner.sessions()])
  for (const value of browser.cookies.values()) expect(stored).not.toContain(value)
  expect(owner.find()?.passwordHash).toStartWith('$argon2id$')
})

describe('a session ends', () => {
  test('after 7 days in which nobody used the dashboard, although its page renewed its token', async () => {
    for (let day = 0; day < 6; day++) {
      dashboard.clock.skip(dayMs)
      expect((await browser.post('/dashboard/token', {})).status).toBe(200)
    }
    dashboard.clock.skip(dayMs)
    expect((await browser.post('/dashboard/token', {})).status).toBe(401)
  })

  test('after 30 days, although somebody used it every day', async () => {
    for (let day = 0; day < 29; day++) {
      dashboard.clock.skip(dayMs)
      expect((await browser.post('/dashboard/token', { isActive: true })).status).toBe(200)
    }
    dashboard.clock.skip(dayMs)
    expect((await browser.post('/dashboard/token', { isActive: true })).status).toBe(401)
  })

  test('if the clock was set a year ahead, and stays ended after it was set back', async () => {
    const now = dashboard.clock.now()
    dashboard.clock.setWall(now + 365 * dayMs)
    expect((await browser.get('/dashboard/session')).status).toBe(401)
    dashboard.clock.skip(3_600_001)
    // The job that deletes it has run, and writes come one after another.
    await dashboard.app.writer.write(() => {})
    dashboard.clock.setWall(now)
    expect((await browser.get('/dashboard/session')).status).toBe(401)
  })

  test('if the clock was set back by a year, because its age is unknown then', async () => {
    dashboard.clock.setWall(dashboard.clock.now() - 365 * dayMs)
    expect((await browser.get('/dashboard/session')).status).toBe(401)
    expect((await browser.signIn()).status).toBe(200)
    expect((await browser.get('/dashboard/session')).status).toBe(200)
  })

  test('but not if the clock was corrected by a minute', async () => {
    dashboard.clock.setWall(dashboard.clock.now() - 60_000)
    expect((await browser.get('/dashboard/session')).status).toBe(200)
  })
})

describe('the list of sessions', () => {
  test('has each browser, and each can be signed out alone', async () => {
    const phone = dashboard.browser('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1')
    await phone.signIn()
    const list = (await browser.get('/dashboard/sessions')).json
    expect(list.map(({ device, isCurrent }: { device: string; isCurrent: boolean }) => [device, isCurrent])).toEqual([
      ['Safari on iPhone', false],
      ['Firefox on Linux', true],
    ])
    expect((await browser.send(`/dashboard/sessions/${list[0].id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await phone.get('/dashboard/session')).status).toBe(401)
    expect((await browser.get('/dashboard/session')).status).toBe(200)
    expect((await browser.send(`/dashboard/sessions/${list[0].id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test('is empty for everybody after signing out everywhere', async () => {
    const phone = dashboard.browser()
    await phone.signIn()
    expect((await phone.post('/dashboard/sign-out-everywhere')).status).toBe(204)
    for (const one of [browser, phone]) expect((await one.get('/dashboard/sessions')).status).toBe(401)
  })

  test('has at most 100 entries', async () => {
    const { app, clock } = dashboard
    for (let i = 0; i < 101; i++) {
      const row = { sha256: Buffer.from(`${i}`), createdAt: clock.now(), lastActiveAt: clock.now() }
      await app.writer.write(() => app.owner.addSession({ ...row, userAgent: '', network: '' }))
    }
    expect(app.owner.sessions()).toHaveLength(100)
    expect((await browser.get('/dashboard/session')).status).toBe(401)
  })
})

test('the audit log names the owner', async () => {
  await browser.post('/dashboard/sign-out')
  const { json } = await dashboard.call('GET', '/v1/audit?limit=3')
  expect(json.map(({ actor, action }: { actor: string; action: string }) => `${actor} ${action}`)).toEqual([
    'owner session.ended',
    'owner session.created',
    'owner owner.created',
  ])
})

test('sessions that end all at once are among the actions on sessions in the audit log', async () => {
  await browser.post('/dashboard/sign-out-everywhere')
  const { json } = await dashboard.call('GET', '/v1/audit?action=session')
  expect(json.map(({ action }: { action: string }) => action)).toEqual(['sessions.ended', 'session.created'])
})
