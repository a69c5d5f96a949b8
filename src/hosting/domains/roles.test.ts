import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type DomainTestStore, openDomainStore } from './testing/domain-store.ts'

let store: DomainTestStore
let project: number
beforeEach(async () => {
  store = await openDomainStore()
  project = await store.newProject()
})
afterEach(() => store.close())

describe('roles', () => {
  const roles = async (projectId = project) =>
    (await store.list(projectId)).json.map(({ hostname, role, redirect }: Record<string, unknown>) => [
      hostname,
      role,
      redirect,
    ])

  test('the first domain is the primary, and others redirect to it with 301', async () => {
    await store.add(project, 'www.kiosk.example')
    await store.add(project, 'kiosk.example')
    await store.add(project, 'old.kiosk.example', { redirect: { to: 'WWW.kiosk.example', status: 308 } })
    expect(await roles()).toEqual([
      ['www.kiosk.example', 'primary', null],
      ['kiosk.example', 'redirect', { to: 'www.kiosk.example', status: 301 }],
      ['old.kiosk.example', 'redirect', { to: 'www.kiosk.example', status: 308 }],
    ])
    const { json } = await store.call('GET', `/v1/projects/${project}/redirects`, { key: store.own.key })
    expect(json).toEqual([
      { from: 'kiosk.example', to: 'www.kiosk.example', status: 301 },
      { from: 'old.kiosk.example', to: 'www.kiosk.example', status: 308 },
    ])
  })

  test('withWww adds both names at once, of which the given one is the primary', async () => {
    expect((await store.add(project, 'kiosk.example', { withWww: true })).json.role).toBe('primary')
    expect(await roles()).toEqual([
      ['kiosk.example', 'primary', null],
      ['www.kiosk.example', 'redirect', { to: 'kiosk.example', status: 301 }],
    ])
    const other = await store.newProject()
    const given = await store.add(other, 'www.dogs.example', { withWww: true, role: 'redirect' })
    expect(given.json).toMatchObject({ role: 'redirect', redirect: { to: 'dogs.example', status: 301 } })
    expect((await roles(other)).map(([hostname]: [string]) => hostname)).toEqual(['www.dogs.example', 'dogs.example'])
  })

  test('a new primary takes the role from the old one', async () => {
    await store.add(project, 'www.kiosk.example')
    await store.add(project, 'old.kiosk.example')
    await store.add(project, 'new.kiosk.example', { role: 'primary' })
    expect(await roles()).toEqual([
      ['www.kiosk.example', 'redirect', { to: 'new.kiosk.example', status: 301 }],
      ['old.kiosk.example', 'redirect', { to: 'new.kiosk.example', status: 301 }],
      ['new.kiosk.example', 'primary', null],
    ])
    expect((await store.change(project, 'old.kiosk.example', { role: 'primary' })).json.role).toBe('primary')
    expect((await roles()).filter(([, role]: [string, string]) => role === 'primary')).toHaveLength(1)
  })

  test('loops, chains and targets outside of the project are rejected, and change nothing', async () => {
    await store.add(project, 'www.kiosk.example')
    await store.add(project, 'a.kiosk.example')
    await store.add(await store.newProject(), 'www.dogs.example')
    const before = await roles()
    const rejected = [
      ['a.kiosk.example', { redirect: { to: 'a.kiosk.example' } }, 'conflict'],
      ['www.kiosk.example', { role: 'redirect', redirect: { to: 'a.kiosk.example' } }, 'conflict'],
      ['www.kiosk.example', { role: 'redirect' }, 'conflict'],
      ['a.kiosk.example', { redirect: { to: 'www.dogs.example' } }, 'conflict'],
      ['a.kiosk.example', { redirect: { to: 'evil.example' } }, 'conflict'],
      ['a.kiosk.example', { role: 'primary', redirect: { to: 'www.kiosk.example' } }, 'invalid_body'],
      ['a.kiosk.example', { redirect: { to: 'www.kiosk.example', status: 303 } }, 'invalid_body'],
      ['a.kiosk.example', { role: 'main' }, 'invalid_body'],
      ['a.kiosk.example', { redirect: null }, 'conflict'],
      ['a.kiosk.example', { role: 'redirect', redirect: null, hsts: true }, 'conflict'],
    ] as const
    for (const [hostname, body, code] of rejected) {
      expect([body, (await store.change(project, hostname, body)).json.code]).toEqual([body, code])
    }
    expect((await store.change(project, 'www.kiosk.example', { redirect: null })).status).toBe(200)
    for (const [redirect, message] of [
      [{ to: 'www.kiosk.example', status: 303 }, 'redirect.status must be one of 301, 302, 307, 308.'],
      [{ status: 301 }, 'redirect.to is required.'],
      [{ to: 7 }, 'redirect.to must be a string.'],
      [['www.kiosk.example'], 'redirect must be an object, or null.'],
      ['www.kiosk.example', 'redirect must be an object, or null.'],
    ] as const) {
      const { json } = await store.change(project, 'a.kiosk.example', { redirect })
      expect([redirect, json.code, json.message]).toEqual([redirect, 'invalid_body', message])
    }
    expect((await store.add(project, 'b.kiosk.example', { redirect: { to: 'a.kiosk.example' } })).json.code).toBe(
      'conflict',
    )
    expect((await store.add(project, 'b.kiosk.example', { redirect: { to: 'b.kiosk.example' } })).json.code).toBe(
      'conflict',
    )
    expect(await roles()).toEqual(before)
  })

  test('a domain can be sent back as it was read, also with another role', async () => {
    await store.add(project, 'www.kiosk.example')
    await store.add(project, 'a.kiosk.example', { redirect: { to: 'www.kiosk.example', status: 308 } })
    const before = await roles()
    for (const hostname of ['www.kiosk.example', 'a.kiosk.example']) {
      const read = (await store.get(project, hostname)).json
      const { status, json } = await store.change(project, hostname, { ...read, records: 'none', state: 7 })
      expect([status, json]).toEqual([200, read])
    }
    expect(await roles()).toEqual(before)
    const read = (await store.get(project, 'a.kiosk.example')).json
    const changed = { ...read, role: 'primary' }
    const other = { ...changed, redirect: { ...read.redirect, status: 302 } }
    expect((await store.change(project, 'a.kiosk.example', other)).json.code).toBe('invalid_body')
    expect((await store.change(project, 'a.kiosk.example', changed)).json).toMatchObject({
      role: 'primary',
      redirect: null,
    })
    // The primary has changed since: the redirect that was read is not the one of the domain.
    const late = await store.change(project, 'www.kiosk.example', { redirect: read.redirect })
    expect(late.json.code).toBe('conflict')
  })

  test('removing the primary promotes the oldest domain, and the others redirect to it', async () => {
    for (const name of ['www', 'a', 'b']) await store.add(project, `${name}.kiosk.example`)
    expect((await store.remove(project, 'www.kiosk.example')).status).toBe(204)
    expect(await roles()).toEqual([
      ['a.kiosk.example', 'primary', null],
      ['b.kiosk.example', 'redirect', { to: 'a.kiosk.example', status: 301 }],
    ])
    expect((await store.get(project, 'www.kiosk.example')).status).toBe(404)
    await store.remove(project, 'a.kiosk.example')
    await store.remove(project, 'b.kiosk.example')
    expect(await roles()).toEqual([])
  })
})
