import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openTestDashboard, ownerEmail, ownerPassword, type TestDashboard } from '../../owner/testing/dashboard.ts'
import { newSecret } from './credentials/secret.ts'
import { resetOwner } from './set-up.ts'

let dashboard: TestDashboard
beforeEach(async () => {
  dashboard = await openTestDashboard()
})
afterEach(() => dashboard.close())

const reset = () => {
  const { app, clock } = dashboard
  const token = newSecret()
  return app.writer.write(() => {
    resetOwner(app, { actor: 'command', nowMs: clock.now() }, token)
    return token
  })
}

describe('a set-up link', () => {
  test('makes the owner and signs the browser in', async () => {
    const browser = dashboard.browser()
    const { status, json } = await browser.setUp(await dashboard.setupToken())
    expect([status, json.owner]).toEqual([200, { email: ownerEmail }])
    expect((await browser.get('/dashboard/session')).status).toBe(200)
    expect((await dashboard.browser().signIn()).status).toBe(200)
  })

  test('works once', async () => {
    const token = await dashboard.setupToken()
    await dashboard.browser().setUp(token)
    const { status, json } = await dashboard.browser().setUp(token, 'eve@evil.example', 'another password')
    expect([status, json.code]).toEqual([403, 'setup_link_invalid'])
    expect(dashboard.app.owner.find()?.email).toBe(ownerEmail)
  })

  test('is not used up by an e-mail address or a password that is not accepted', async () => {
    const token = await dashboard.setupToken()
    const browser = dashboard.browser()
    const wrong: [email: string, password: string, member: string][] = [
      ['ada', ownerPassword, 'email'],
      ['ada@shop @x', ownerPassword, 'email'],
      [ownerEmail, 'too short', 'password'],
      [ownerEmail, '', 'password'],
      [ownerEmail, 'ä'.repeat(501), 'password'],
    ]
    for (const [email, password, member] of wrong) {
      const { status, json } = await browser.setUp(token, email, password)
      expect([email, status, json.code]).toEqual([email, 400, 'invalid_body'])
      expect(json.message).toStartWith(member)
    }
    expect((await browser.setUp(token)).status).toBe(200)
  })

  test('can be checked without using it up', async () => {
    const token = await dashboard.setupToken()
    const check = async (one: string) => {
      const { status, json } = await dashboard.browser().post('/dashboard/setup-link', { token: one })
      return [status, json]
    }
    expect(await check(token)).toEqual([200, { isUsable: true, hasOwner: false }])
    expect(await check(token)).toEqual([200, { isUsable: true, hasOwner: false }])
    for (const other of ['', 'undefined', 'a'.repeat(43), 'x'.repeat(4_000)]) {
      expect(await check(other)).toEqual([200, { isUsable: false, hasOwner: false }])
    }
    dashboard.clock.advance(30 * 60_000)
    expect(await check(token)).toEqual([200, { isUsable: false, hasOwner: false }])
    const newer = await reset()
    await dashboard.browser().setUp(newer)
    for (const used of [token, newer]) expect(await check(used)).toEqual([200, { isUsable: false, hasOwner: true }])
  })

  test('of two set-ups at once exactly one makes the owner', async () => {
    const token = await dashboard.setupToken()
    const browsers = [dashboard.browser(), dashboard.browser()] as const
    const results = await Promise.all([
      browsers[0].setUp(token, 'first@shop.example'),
      browsers[1].setUp(token, 'second@shop.example'),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual([200, 403])
    const winner = results[0].status === 200 ? 'first@shop.example' : 'second@shop.example'
    expect(dashboard.app.owner.find()?.email).toBe(winner)
    expect(dashboard.app.owner.sessions()).toHaveLength(1)
  })

  test('ends after 30 minutes, and after the clock was set by a year in either direction', async () => {
    const token = await dashboard.setupToken()
    const now = dashboard.clock.now()
    for (const ms of [30 * 60_000, 365 * 86_400_000, -365 * 86_400_000]) {
      dashboard.clock.setWall(now + ms)
      expect([ms, (await dashboard.browser().setUp(token)).status]).toEqual([ms, 403])
    }
    dashboard.clock.setWall(now + 30 * 60_000 - 1)
    expect((await dashboard.browser().setUp(token)).status).toBe(200)
  })

  test('with the words undefined, null, nothing or 50 kB as its token is rejected', async () => {
    await dashboard.setupToken()
    for (const token of ['undefined', 'null', '', 'a'.repeat(43), 'x'.repeat(4_000)]) {
      expect((await dashboard.browser().setUp(token)).status).toBe(403)
    }
    const nested = `{"token":${'['.repeat(25_000)}${']'.repeat(25_000)}}`
    const response = await fetch(`${dashboard.url}/dashboard/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: dashboard.url },
      body: nested,
    })
    expect(response.status).toBe(400)
  })
})

describe('petstore owner reset', () => {
  test('ends every session and bearer token, voids the password and earlier links', async () => {
    const earlier = await dashboard.setupToken()
    const browser = await dashboard.setUp()
    const bearer = await browser.trade()
    const token = await reset()
    expect((await browser.get('/dashboard/session')).json).toMatchObject({ code: 'signed_out', hasOwner: false })
    const pets = await fetch(`${dashboard.url}/v1/pets`, { headers: { authorization: `Bearer ${bearer}` } })
    expect(pets.status).toBe(401)
    const { status, json } = await browser.signIn()
    expect([status, json.code]).toEqual([409, 'no_owner'])
    expect(json.message).toContain('petstore owner reset')
    expect((await browser.setUp(earlier)).status).toBe(403)
    expect((await browser.setUp(token, 'new@shop.example', 'another password')).status).toBe(200)
  })

  test('voids the link of an earlier reset', async () => {
    const first = await reset()
    const second = await reset()
    expect((await dashboard.browser().setUp(first)).status).toBe(403)
    expect((await dashboard.browser().setUp(second)).status).toBe(200)
  })

  test('during the check of a sign-in prevents that sign-in', async () => {
    const browser = await dashboard.setUp()
    const { passwords } = dashboard.app
    const { verify } = passwords
    const begun = Promise.withResolvers<void>()
    const checking = Promise.withResolvers<void>()
    passwords.verify = async (...parameters) => {
      begun.resolve()
      await checking.promise
      return await verify(...parameters)
    }
    const signingIn = dashboard.browser().signIn()
    await begun.promise
    await reset()
    checking.resolve()
    expect((await signingIn).status).toBe(401)
    expect((await browser.get('/dashboard/session')).status).toBe(401)
    expect(dashboard.app.owner.sessions()).toEqual([])
  })
})
