import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestDashboard, type TestBrowser, type TestDashboard } from '../../../owner/testing/dashboard.ts'

let dashboard: TestDashboard
let browser: TestBrowser
let token: string
beforeEach(async () => {
  dashboard = await openTestDashboard()
  browser = await dashboard.setUp()
  token = await browser.trade()
})
afterEach(() => dashboard.close())

const call = (method: string, path: string, body?: unknown) => dashboard.call(method, path, { key: token, body })

test('a token has every scope, the limits of the account Dashboard, and is not a key', async () => {
  const { status, json, headers } = await call('GET', '/v1/keys/current')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    id: null,
    accountId: 1,
    name: 'Dashboard',
    environment: 'production',
    limits: { perMinute: 6_000, perDay: 1_000_000 },
    used: { minute: 1, day: 1 },
  })
  expect(json.scopes).toContain('admin')
  expect(Date.parse(json.expiresAt) - dashboard.clock.now()).toBe(600_000)
  expect(headers.get('x-ratelimit-limit')).toBe('6000')
  expect(headers.get('x-ratelimit-remaining')).toBe('5999')
})

test('the account Dashboard is in no list and can be neither read nor changed', async () => {
  expect((await call('GET', '/v1/accounts')).json.map(({ id }: { id: number }) => id)).toEqual([1])
  expect((await call('GET', '/v1/accounts/0')).status).toBe(404)
  expect((await call('PATCH', '/v1/accounts/0', { plan: 'free' })).status).toBe(404)
  expect((await call('POST', '/v1/keys', { name: 'Backdoor', accountId: 0 })).status).toBe(400)
  expect((await call('GET', '/v1/keys')).json).toHaveLength(1)
})

test('requests of the dashboard count against no customer', async () => {
  for (let i = 0; i < 5; i++) await call('GET', '/v1/pets')
  const { json } = await dashboard.call('GET', '/v1/keys/current')
  expect(json.used).toEqual({ minute: 1, day: 1 })
})

test('records belong to the account that the request names, and otherwise to the account of the session', async () => {
  const { json: account } = await call('POST', '/v1/accounts', { name: 'Partner' })
  for (const [name, accountId, owner] of [
    ['Ada', undefined, 1],
    ['Bea', account.id, account.id],
  ] as const) {
    const { json: pet } = await call('POST', '/v1/pets', { name, categoryId: 1 })
    const { status, json } = await call('POST', '/v1/store/orders', { petId: pet.id, quantity: 1, accountId })
    expect([name, status, json.accountId]).toEqual([name, 201, owner])
  }
  const { json: audit } = await call('GET', '/v1/audit?limit=1&action=account')
  expect(audit[0]).toMatchObject({ actor: 'owner', action: 'account.created', accountId: account.id })
})

test('a token ends after ten minutes, whatever the system clock says', async () => {
  const start = dashboard.clock.now()
  dashboard.clock.setWall(start - 365 * 86_400_000)
  expect((await call('GET', '/v1/pets')).status).toBe(200)
  dashboard.clock.advance(600_000)
  const { status, json } = await call('GET', '/v1/pets')
  expect([status, json.code]).toEqual([401, 'expired_api_key'])
})

test('a token ends with its session at once, and only with its own', async () => {
  const phone = dashboard.browser()
  await phone.signIn()
  const other = await phone.trade()
  await browser.post('/dashboard/sign-out')
  expect((await call('GET', '/v1/pets')).status).toBe(401)
  token = other
  expect((await call('GET', '/v1/pets')).status).toBe(200)
  await phone.post('/dashboard/sign-out-everywhere')
  expect((await call('GET', '/v1/pets')).status).toBe(401)
})

test('a token does not outlive the 30 days of its session', async () => {
  for (let day = 0; day < 29; day++) {
    dashboard.clock.skip(86_400_000)
    await browser.post('/dashboard/token', { isActive: true })
  }
  dashboard.clock.skip(86_400_000 - 60_000)
  const { expiresAt } = (await browser.post('/dashboard/token', { isActive: true })).json
  expect(Date.parse(expiresAt) - dashboard.clock.now()).toBe(60_000)
})

test('a session has at most 50 tokens: the oldest ends when there are more', async () => {
  for (let i = 0; i < 49; i++) await browser.trade()
  expect((await call('GET', '/v1/pets')).status).toBe(200)
  await browser.trade()
  expect((await call('GET', '/v1/pets')).status).toBe(401)
})

test('a dashboard over its limit gets 429 and is never banned', async () => {
  const { limiter } = dashboard.app
  const principal = dashboard.app.authenticator.authenticate(`Bearer ${token}`)
  if ('code' in principal) throw new Error(principal.message)
  for (let i = 0; i < 6_000; i++) limiter.admit(principal)
  for (let i = 0; i < 60; i++) {
    const { status, json } = await call('GET', '/v1/pets')
    expect([status, json.code]).toEqual([429, 'rate_limit_exceeded'])
    dashboard.clock.advance(500)
  }
  dashboard.clock.advance(61_000)
  expect((await call('GET', '/v1/pets')).status).toBe(200)
})

test('changing the e-mail address or the password needs the current password and ends the other sessions', async () => {
  const phone = dashboard.browser()
  await phone.signIn()
  const changed = await browser.post('/dashboard/email', {
    email: 'Grace@Shop.example',
    password: 'correct horse battery',
  })
  expect([changed.status, changed.json]).toEqual([200, { owner: { email: 'Grace@Shop.example' } }])
  expect((await phone.get('/dashboard/session')).status).toBe(401)
  const secrets = { password: 'correct horse battery', newPassword: 'a new long password' }
  expect((await browser.post('/dashboard/password', secrets)).status).toBe(204)
  expect((await phone.signIn('grace@shop.example')).status).toBe(401)
  expect((await phone.signIn(' GRACE@shop.example ', 'a new long password')).status).toBe(200)
  expect((await browser.get('/dashboard/session')).status).toBe(200)
  const { json } = await dashboard.call('GET', '/v1/audit?limit=3')
  expect(json.map(({ action, details }: { action: string; details: object }) => [action, details])).toMatchObject([
    ['session.created', {}],
    ['owner.changed', { password: 'changed', endedSessions: 0 }],
    ['owner.changed', { email: 'Grace@Shop.example', endedSessions: 1 }],
  ])
})
