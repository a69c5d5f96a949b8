import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { DomainChanges } from '../store.ts'
import { type DomainTestStore, openDomainStore, ours, targetOf } from '../testing/domain-store.ts'

let store: DomainTestStore
let project: number
beforeEach(async () => {
  store = await openDomainStore()
  project = await store.newProject()
})
afterEach(() => store.close())

const www = 'www.kiosk.example'
const codes = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code)
const tokenOf = ({ records }: { records: { type: string; value: string }[] }) =>
  records.find(({ type }) => type === 'TXT')?.value

describe('a subdomain', () => {
  test('with the CNAME of its project is verified, and served from then on', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    const { routes } = store.app.domainHosting
    expect(routes.find(www)).toBeUndefined()
    const verified = await store.verify(project, www)
    expect(verified.status).toBe(200)
    const now = store.clock.now()
    expect(verified.json).toMatchObject({
      state: 'issuing',
      dns: {
        status: 'verified',
        checkedAt: new Date(now).toISOString(),
        nextCheckAt: new Date(now + 86_400_000).toISOString(),
      },
      findings: [],
    })
    expect(await store.events(project, www)).toEqual(['verified', 'added'])
    expect(routes.find(www)).toEqual({ projectId: project, serve: true, hsts: false, hasCertificate: false })
    expect(routes.wantedCertificates()).toEqual([{ hostname: www, accountId: store.own.accountId, kind: 'domain' }])
    expect((await store.verify(project, www)).json).toEqual(verified.json)
  })

  test('without a record waits, and one with a wrong record has an error; the diagnosis says what to do', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', '')
    expect((await store.verify(project, www)).json).toMatchObject({ state: 'pending_dns', dns: { status: 'failed' } })
    store.setRecords('kiosk', 'www 300 A 198.51.100.20')
    const wrong = await store.verify(project, www)
    expect(wrong.json).toMatchObject({ state: 'dns_error', dns: { status: 'failed' } })
    expect(codes(wrong.json)).toEqual(['conflict_a'])
    const path = `/v1/projects/${project}/domains/${www}/diagnosis`
    const diagnosis = await store.call('GET', path, { key: store.own.key })
    expect(diagnosis.json).toEqual({
      hostname: www,
      checkedAt: wrong.json.dns.checkedAt,
      findings: wrong.json.findings,
    })
    expect(diagnosis.json.findings[0].fix).toContain(targetOf(json))
    expect(await store.events(project, www)).toEqual(['failed', 'failed', 'added'])
    expect(store.app.domainHosting.routes.find(www)).toBeUndefined()
  })

  test('with the CNAME of another project of the same account is not verified', async () => {
    const other = await store.add(await store.newProject(), 'cats.kiosk.example')
    await store.add(project, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(other.json)}.`)
    const { json } = await store.verify(project, www)
    expect([json.dns.status, codes(json)]).toEqual(['failed', ['record_wrong_value']])
  })
})

describe('an apex', () => {
  test('is verified by its addresses only together with the TXT record of the account', async () => {
    const { json } = await store.add(project, 'kiosk.example')
    const addresses = `@ 300 A ${ours.v4}\n@ 300 AAAA ${ours.v6}`
    store.setRecords('kiosk', addresses)
    const pending = await store.verify(project, 'kiosk.example')
    expect(pending.json).toMatchObject({ state: 'pending_ownership', dns: { status: 'failed' } })
    expect(codes(pending.json)).toEqual(['txt_missing'])
    expect(store.app.domainHosting.routes.find('kiosk.example')).toBeUndefined()
    store.setRecords('kiosk', `${addresses}\n_petstore-verify 300 TXT "${tokenOf(json)}"`)
    expect((await store.verify(project, 'kiosk.example')).json).toMatchObject({ state: 'issuing', findings: [] })
  })

  test('loses its proof if the TXT record is removed later', async () => {
    const { json } = await store.add(project, 'kiosk.example')
    store.setRecords('kiosk', `@ 300 A ${ours.v4}\n_petstore-verify 300 TXT "${tokenOf(json)}"`)
    await store.verify(project, 'kiosk.example')
    store.setRecords('kiosk', `@ 300 A ${ours.v4}`)
    const { json: later } = await store.verify(project, 'kiosk.example')
    expect([later.dns.status, codes(later)]).toEqual(['drifted', ['txt_missing']])
  })

  test('below the registered domain is found out by the check, and then needs the TXT record too', async () => {
    const name = 'shop.kiosk.example'
    const added = await store.add(project, name)
    expect(added.json.records.map(({ type }: { type: string }) => type)).toEqual(['CNAME'])
    const ns = 'shop 3600 NS ns1.shop\nns1.shop 3600 A 45.1.0.2'
    store.setRecords('kiosk', ns)
    store.setRecords('shop.kiosk', `@ 300 A ${ours.v4}`)
    const { json } = await store.verify(project, name)
    expect([json.state, codes(json)]).toEqual(['pending_ownership', ['txt_missing']])
    expect(json.records.map(({ type }: { type: string }) => type)).toEqual(['ALIAS', 'A', 'AAAA', 'TXT'])
    store.setRecords('shop.kiosk', `@ 300 A ${ours.v4}\n_petstore-verify 300 TXT "${tokenOf(json)}"`)
    expect((await store.verify(project, name)).json.dns.status).toBe('verified')
  })
})

describe('servers that do not respond', () => {
  test('neither verify a claim nor take down a domain that works', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    store.setSilence(true)
    const silent = await store.verify(project, www)
    expect(silent.json).toMatchObject({ state: 'pending_dns', dns: { status: 'pending' } })
    expect(codes(silent.json)).toContain('dns_timeout')
    store.setSilence(false)
    await store.verify(project, www)
    store.setSilence(true)
    const later = await store.verify(project, www)
    expect(later.json).toMatchObject({ state: 'issuing', dns: { status: 'verified' } })
    expect(later.json.dns.nextCheckAt).toBe(new Date(store.clock.now() + 3_600_000).toISOString())
    expect(store.app.domainHosting.routes.find(www)).toMatchObject({ serve: true })
  })
})

test('a server that sends thousands of long records fills neither the database nor the responses', async () => {
  await store.add(project, 'kiosk.example')
  const long = Array.from(
    { length: 60 },
    (_, i) => `_petstore-verify 300 TXT "${`${i}`.padEnd(200, 'x')}" "${'y'.repeat(200)}"`,
  )
  const many = Array.from({ length: 200 }, (_, i) => `@ 300 A 198.51.${i % 100}.${i}`)
  store.setRecords('kiosk', [...long, ...many].join('\n'))
  const { json, text } = await store.verify(project, 'kiosk.example')
  expect(codes(json)).toEqual(expect.arrayContaining(['txt_wrong_value']))
  expect(text.length).toBeLessThan(60_000)
  for (const { observed } of json.findings) {
    for (const { values } of observed) expect(values.length).toBeLessThanOrEqual(20)
  }
})

describe('a claim whose checks have ended after 48 hours', () => {
  beforeEach(async () => {
    await store.add(project, www)
    store.setRecords('kiosk', '')
    await change({ nextCheckAt: null, waitedMs: 48 * 3_600_000, dnsStatus: 'failed' })
  })
  const claim = () => {
    const row = store.app.domains.find(project, www)
    if (!row) throw new Error('missing')
    return row
  }
  const change = (changes: DomainChanges) => store.app.writer.write(() => store.app.domains.update(claim(), changes))

  test('is checked for another 48 hours if a request joins a check that runs, or comes while its result is stored', async () => {
    const dueAt = store.clock.now()
    const { app } = store
    const { update } = app.domains
    await change({ nextCheckAt: dueAt })
    store.clock.skip(1_000)
    expect(app.domainHosting.checks?.inProgress()).toBe(1)
    const joined = await store.verify(project, www)
    expect(joined.json.dns.nextCheckAt).toBe(new Date(store.clock.now() + 60_000).toISOString())
    expect([app.domainHosting.checks?.counts.failed, claim().waitedMs]).toEqual([1, 0])
    await change({ nextCheckAt: dueAt, waitedMs: 48 * 3_600_000 })
    let late: ReturnType<typeof store.verify> | undefined
    app.domains.update = (row, changes) => {
      late ??= store.verify(project, www)
      return update(row, changes)
    }
    store.clock.skip(1_000)
    await store.settled()
    expect((await late)?.json.dns.nextCheckAt).toBe(new Date(store.clock.now() + 60_000).toISOString())
    expect([app.domainHosting.checks?.counts.failed, claim().waitedMs]).toEqual([3, 0])
    expect(await store.events(project, www)).toEqual(['checks_ended', 'failed', 'added'])
  })
})

test('a request to verify honours If-Match', async () => {
  await store.add(project, www)
  store.setRecords('kiosk', '')
  const etag = (await store.get(project, www)).headers.get('etag') ?? ''
  const verify = (ifMatch: string) =>
    store.call('POST', `/v1/projects/${project}/domains/${www}/verify`, {
      key: store.own.key,
      headers: { 'If-Match': ifMatch },
    })
  expect((await verify('"another"')).status).toBe(412)
  expect((await verify(etag)).status).toBe(200)
})

describe('the limits on checks', () => {
  test('simultaneous requests for one domain wait for one check', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    const responses = await Promise.all(Array.from({ length: 15 }, () => store.verify(project, www)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(store.app.domainHosting.checks?.counts).toMatchObject({ proven: 1, failed: 0 })
  })

  test('the eleventh check of an account in a minute is rejected with 429, and another account is not affected', async () => {
    store.setRecords('kiosk', '')
    await store.add(project, www)
    for (let i = 0; i < 10; i++) expect((await store.verify(project, www)).status).toBe(200)
    const rejected = await store.verify(project, www)
    expect([rejected.status, rejected.json.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(rejected.headers.get('retry-after')).toBe('60')
    const other = await store.newKey({ plan: 'pro' })
    const theirs = await store.newProject(other.key)
    await store.add(theirs, www, {}, other.key)
    expect((await store.verify(theirs, www, other.key)).status).toBe(200)
    store.clock.skip(60_000)
    await store.settled()
    expect((await store.verify(project, www)).status).toBe(200)
  })

  test('a domain that is removed during its check is not found, and stays removed', async () => {
    const { json } = await store.add(project, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    const [verified] = await Promise.all([store.verify(project, www), store.remove(project, www)])
    expect(verified.status).toBe(404)
    expect(store.app.domainHosting.routes.find(www)).toBeUndefined()
  })

  test('closing the store ends the checks in progress, which store nothing', async () => {
    await store.add(project, www)
    store.setRecords('kiosk', '')
    store.setSilence(true)
    const check = store.verify(project, www).catch(() => undefined)
    while (store.app.domainHosting.checks?.inProgress() !== 1) await Bun.sleep(1)
    await store.app.domainHosting.close()
    expect((await store.get(project, www)).json.dns.checkedAt).toBeNull()
    await check
  })
})
