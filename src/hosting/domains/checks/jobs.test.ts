import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../../testing/executable.ts'
import { openTestStore } from '../../../testing/harness.ts'
import { type DomainTestStore, openDomainStore, targetOf } from '../testing/domain-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const www = 'www.kiosk.example'
const old = 'old.kiosk.example'

let store: DomainTestStore
let project: number
beforeEach(async () => {
  store = await openDomainStore()
  project = await store.newProject()
})
afterEach(() => store.close())

/** Moves the clock and waits for the check that is due; `checks` times, with a second between them. */
async function after(ms: number, checks = 1): Promise<void> {
  store.clock.skip(ms)
  await store.settled()
  for (let i = 1; i < checks; i++) await after(1_000)
}
const inProgress = () => store.app.domainHosting.checks?.inProgress()
const stateOf = async (hostname: string) => (await store.get(project, hostname)).json.state
const dnsOf = async (hostname: string) => (await store.get(project, hostname)).json.dns

/** Adds a domain whose record is right, and verifies it. */
async function addVerified(hostname: string): Promise<string> {
  const { json } = await store.add(project, hostname)
  const label = hostname.split('.')[0]
  records = `${records}\n${label} 300 CNAME ${targetOf(json)}.`
  store.setRecords('kiosk', records)
  await store.verify(project, hostname)
  return targetOf(json)
}
let records = ''
beforeEach(() => {
  records = ''
})

describe('a claim', () => {
  test('is verified without a request a minute after its record exists', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', '')
    await after(minuteMs)
    expect(await stateOf(www)).toBe('pending_dns')
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    await after(minuteMs)
    expect(await stateOf(www)).toBe('issuing')
  })

  test('is checked with growing pauses for 48 hours, and then only when somebody verifies it', async () => {
    await store.add(project, www)
    store.setRecords('kiosk', 'www 300 A 198.51.100.20')
    const startMs = store.clock.now()
    const pauses: number[] = []
    for (;;) {
      const { nextCheckAt } = await dnsOf(www)
      if (nextCheckAt === null) break
      pauses.push(Date.parse(nextCheckAt) - store.clock.now())
      await after(pauses.at(-1) ?? 0)
    }
    const hours = (store.clock.now() - startMs) / hourMs
    expect([Math.floor(hours), pauses[0], pauses.at(-1)]).toEqual([48, minuteMs, hourMs])
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    expect(pauses.length).toBeLessThan(100)
    expect(await stateOf(www)).toBe('dns_error')
    expect((await store.events(project, www))[0]).toBe('checks_ended')
    const ended = await dnsOf(www)
    await after(10 * dayMs)
    expect(await dnsOf(www)).toEqual(ended)
    const { json } = await store.verify(project, www)
    expect(json.dns.nextCheckAt).toBe(new Date(store.clock.now() + minuteMs).toISOString())
  })

  test('whose servers never respond ends in dns_error after 48 hours too', async () => {
    const { json } = await store.add(project, www)
    const { app } = store
    const row = app.domains.find(project, json.hostname)
    if (!row) throw new Error('missing')
    await app.writer.write(() => app.domains.update(row, { waitedMs: 48 * hourMs }))
    store.setRecords('kiosk', '')
    store.setSilence(true)
    await after(minuteMs)
    expect(await store.get(project, www)).toMatchObject({
      json: { state: 'dns_error', dns: { status: 'failed', nextCheckAt: null } },
    })
  })
})

describe('a verified domain', () => {
  test('is checked daily; it drifts, is degraded after an hour, and recovers', async () => {
    await addVerified(www)
    store.setRecords('kiosk', 'www 300 A 198.51.100.20')
    await after(dayMs - 1_000)
    expect((await dnsOf(www)).status).toBe('verified')
    await after(1_000)
    expect(await store.get(project, www)).toMatchObject({ json: { state: 'issuing', dns: { status: 'drifted' } } })
    await store.verify(project, www)
    expect(await stateOf(www)).toBe('issuing')
    await after(hourMs)
    expect(await stateOf(www)).toBe('degraded')
    store.setRecords('kiosk', records)
    await after(hourMs)
    expect(await stateOf(www)).toBe('issuing')
    expect(await store.events(project, www)).toEqual(['recovered', 'degraded', 'drifted', 'verified', 'added'])
  })

  test('that is degraded is served, and nothing is redirected to it', async () => {
    await store.close()
    store = await openDomainStore({ certificates: { [www]: dayMs * 90, [old]: dayMs * 90 } })
    project = await store.newProject()
    await addVerified(www)
    await addVerified(old)
    const { routes } = store.app.domainHosting
    const serves = { projectId: project, serve: true, hsts: false, hasCertificate: true } as const
    const redirect = { to: www, status: 301 }
    expect([routes.find(www), routes.primaryOf(project)]).toEqual([serves, www])
    expect(routes.find(old)).toEqual({ projectId: project, redirect, hsts: false, hasCertificate: true })
    store.setRecords('kiosk', records.replace(/www 300 CNAME \S+/, ''))
    await after(dayMs, 2)
    expect(routes.find(old)).toMatchObject({ redirect })
    await after(hourMs, 2)
    expect(await stateOf(www)).toBe('degraded')
    expect([routes.find(www), routes.find(old), routes.primaryOf(project)]).toEqual([serves, serves, undefined])
  })

  test('keeps its state over a restart, and overdue checks are made then', async () => {
    const folder = emptyFolder()
    const config = { databasePath: join(folder.path, 'production.db') }
    await store.close()
    store = await openDomainStore({ config })
    project = await store.newProject()
    await addVerified(www)
    const before = (await store.get(project, www)).json
    const { world, own } = store
    await store.app.close()
    const again = await openTestStore({ ...store.config, ...config })
    const shown = await again.call('GET', `/v1/projects/${project}/domains/${www}`, { key: own.key })
    expect(shown.json).toEqual(before)
    expect(again.app.domainHosting.routes.find(www)).toMatchObject({ projectId: project, serve: true })
    store.setRecords('kiosk', '')
    again.clock.skip(3 * dayMs)
    while (again.app.domainHosting.checks?.inProgress() !== 0) await Bun.sleep(5)
    const later = await again.call('GET', `/v1/projects/${project}/domains/${www}`, { key: own.key })
    expect(later.json.dns.status).toBe('drifted')
    await again.close()
    world.close()
    store = await openDomainStore()
    rmSync(folder.path, { recursive: true })
  })
})

describe('a clock that is set', () => {
  test('back by a year does not stop the checks', async () => {
    await addVerified(www)
    await store.add(project, old)
    store.clock.setWall(store.clock.now() - 365 * dayMs)
    store.setRecords('kiosk', '')
    await after(1_000, 2)
    expect((await dnsOf(www)).status).toBe('drifted')
    const { status, nextCheckAt } = await dnsOf(old)
    expect([status, Date.parse(nextCheckAt) - store.clock.now()]).toEqual(['failed', minuteMs])
  })

  test('forward by a year checks once, and does not end the checks of a claim', async () => {
    await addVerified(www)
    await store.add(project, old)
    store.clock.setWall(store.clock.now() + 365 * dayMs)
    await after(1_000, 2)
    expect((await dnsOf(www)).status).toBe('verified')
    const { status, nextCheckAt } = await dnsOf(old)
    expect([status, Date.parse(nextCheckAt) > store.clock.now()]).toEqual(['failed', true])
    expect(await stateOf(old)).toBe('pending_dns')
  })

  test('by a second changes nothing', async () => {
    await addVerified(www)
    const before = await dnsOf(www)
    store.clock.setWall(store.clock.now() - 2_000)
    await after(1_000)
    expect(await dnsOf(www)).toEqual(before)
  })
})

test('three of the checks that are due run at a time, and one of an account', async () => {
  for (const name of ['a', 'b', 'c']) await store.add(project, `${name}.kiosk.example`)
  for (let i = 0; i < 3; i++) {
    const { key } = await store.newKey({ plan: 'pro' })
    await store.add(await store.newProject(key), www, {}, key)
  }
  store.setRecords('kiosk', '')
  const { app } = store
  store.clock.skip(minuteMs)
  expect(inProgress()).toBe(3)
  await store.settled()
  expect(app.domainHosting.checks?.counts.failed).toBe(3)
  // The last account, and the second domain of the first one.
  store.clock.advance(1_000)
  expect(inProgress()).toBe(2)
  await store.settled()
  await after(1_000)
  const { json } = await store.list(project)
  expect(json.map(({ dns }: { dns: { status: string } }) => dns.status)).toEqual(['failed', 'failed', 'failed'])
})

test('a thousand overdue domains of one account do not hold up the domain of another', async () => {
  const { app } = store
  const many = await store.newKey({ plan: 'pro' })
  const theirs = await store.newProject(many.key)
  await store.add(theirs, 'a.kiosk.example', {}, many.key)
  await store.add(project, www)
  store.setRecords('kiosk', '')
  const model = app.domains.find(theirs, 'a.kiosk.example')
  if (!model) throw new Error('missing')
  const { id: _, ...row } = model
  await app.writer.write(() => {
    for (let i = 0; i < 1_200; i++) {
      app.domains.add({ ...row, hostname: `n${i}.kiosk.example`, isPrimary: false, nextCheckAt: row.createdAt })
    }
  })
  await after(minuteMs, 14)
  expect((await dnsOf(www)).status).toBe('failed')
  expect(app.domainHosting.checks?.counts.failed).toBe(11)
})
