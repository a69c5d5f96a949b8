import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openTestStore } from '../../testing/harness.ts'
import { type DomainTestStore, openDomainStore, ours, targetOf } from './testing/domain-store.ts'

let store: DomainTestStore
let project: number
beforeEach(async () => {
  store = await openDomainStore()
  project = await store.newProject()
})
afterEach(() => store.close())

describe('adding a domain', () => {
  test('returns the domain with the record to create first', async () => {
    const { status, json, headers } = await store.add(project, 'WWW.Bücher.Example.')
    expect(status).toBe(201)
    const hostname = 'www.xn--bcher-kva.example'
    expect(json).toEqual({
      hostname,
      unicodeHostname: 'www.bücher.example',
      projectId: project,
      role: 'primary',
      redirect: null,
      hsts: false,
      state: 'pending_dns',
      dns: { status: 'pending', checkedAt: null, nextCheckAt: new Date(store.clock.now() + 60_000).toISOString() },
      certificate: { status: 'none', expiresAt: null, nextAttemptAt: null, rateLimitedUntil: null, error: null },
      records: [
        {
          type: 'CNAME',
          name: 'www',
          fqdn: hostname,
          value: expect.stringMatching(/^[0-9a-f]{32}\.edge\.stores\.example$/),
          ttl: 3600,
          purpose: 'routing',
          note: null,
        },
      ],
      findings: [],
      createdAt: new Date(store.clock.now()).toISOString(),
    })
    expect(headers.get('location')).toBe(`/v1/projects/${project}/domains/${hostname}`)
    expect((await store.get(project, hostname)).json).toEqual(json)
    expect((await store.list(project)).json).toEqual([json])
  })

  test('of the longest name has a Location as the document describes it', async () => {
    const hostname = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`
    const { status, headers } = await store.add(project, hostname)
    expect([status, headers.get('location')]).toEqual([201, `/v1/projects/${project}/domains/${hostname}`])
  })

  test('of an apex shows ALIAS, addresses as the alternative, and the TXT record of the account', async () => {
    const { json } = await store.add(project, 'kiosk.example')
    const shown = json.records.map((one: Record<string, string>) => [one['type'], one['name'], one['purpose']])
    expect(shown).toEqual([
      ['ALIAS', '@', 'routing'],
      ['A', '@', 'routing_alternative'],
      ['AAAA', '@', 'routing_alternative'],
      ['TXT', '_petstore-verify', 'ownership'],
    ])
    expect(json.records[1].value).toBe(ours.v4)
    expect(json.records[0].note).toContain('ANAME')
    expect(json.records[0].note).toContain('www.kiosk.example')
    const token = json.records[3].value
    const other = await store.add(await store.newProject(), 'dogs.example')
    expect(other.json.records[3].value).toBe(token)
  })

  test('rejects a name that no website can have, with invalid_body and the rule', async () => {
    const wrong = {
      'a..b.example': 'empty label',
      'https://www.shop.example': 'web address',
      '*.shop.example': 'wildcard',
      'co.uk': 'public suffix',
      'api.stores.example': "service's own domain",
      'STORES.example.': "service's own domain",
      'x.edge.stores.example': "service's own domain",
      localhost: 'not part of the public DNS',
      '127.0.0.1': 'IP address',
      undefined: 'label',
    }
    for (const [hostname, rule] of Object.entries(wrong)) {
      const { status, json } = await store.add(project, hostname)
      expect([hostname, status, json.code]).toEqual([hostname, 400, 'invalid_body'])
      expect(json.message).toContain(rule)
    }
    for (const body of [{}, { hostname: null }, { hostname: 5 }, { hostname: 'x'.repeat(2_000) }]) {
      const { json } = await store.call('POST', `/v1/projects/${project}/domains`, { key: store.own.key, body })
      expect(json.code).toBe('invalid_body')
    }
    expect((await store.list(project)).json).toEqual([])
  })

  test('needs a plan above free, of the account of the project', async () => {
    const free = await store.newKey({ plan: 'free' })
    const theirs = await store.newProject(free.key)
    const response = await store.add(theirs, 'www.kiosk.example', {}, free.key)
    expect([response.status, response.json.code]).toEqual([402, 'plan_required'])
    expect((await store.add(theirs, 'www.kiosk.example', {}, store.key)).status).toBe(402)
  })

  test('needs a successful deploy', async () => {
    const { json } = await store.call('POST', '/v1/projects', { key: store.own.key, body: { name: 'Empty' } })
    const early = await store.add(json.id, 'www.kiosk.example')
    expect([early.status, early.json.code]).toEqual([409, 'no_successful_deploy'])
    expect((await store.deploy(json.id)).status).toBe(201)
    expect((await store.add(json.id, 'www.kiosk.example')).status).toBe(201)
  })

  test('a downgrade keeps the domains, and rejects new ones', async () => {
    await store.add(project, 'www.kiosk.example')
    const path = `/v1/accounts/${store.own.accountId}`
    await store.call('PATCH', path, { body: { plan: 'free' } })
    expect((await store.get(project, 'www.kiosk.example')).status).toBe(200)
    expect((await store.add(project, 'cat.kiosk.example')).json.code).toBe('plan_required')
    expect((await store.change(project, 'www.kiosk.example', { hsts: true })).json.hsts).toBe(true)
  })

  test('twice in one project is a conflict, and a project has at most 50', async () => {
    await store.add(project, 'www.kiosk.example')
    expect((await store.add(project, 'WWW.kiosk.example')).json).toMatchObject({ code: 'conflict', status: 409 })
    const more = await Promise.all(Array.from({ length: 60 }, (_, i) => store.add(project, `s${i}.kiosk.example`)))
    expect(more.filter(({ status }) => status === 201)).toHaveLength(49)
    const rejected = more.filter(({ status }) => status !== 201)
    expect(new Set(rejected.map(({ json }) => json.code))).toEqual(new Set(['conflict']))
  })

  test('of another account is not found, and admin may add to any project', async () => {
    const other = await store.newKey({ plan: 'pro' })
    expect((await store.add(project, 'www.kiosk.example', {}, other.key)).status).toBe(404)
    expect((await store.add(999, 'www.kiosk.example')).status).toBe(404)
    // A request that is not valid is rejected before the project is looked up.
    expect((await store.add(999, 'a..b')).status).toBe(400)
    expect((await store.add(project, 'www.kiosk.example', {}, store.key)).status).toBe(201)
    expect((await store.get(project, 'www.kiosk.example', other.key)).status).toBe(404)
    expect((await store.get(project, 'www.kiosk.example', store.key)).status).toBe(200)
    expect((await store.remove(project, 'www.kiosk.example', other.key)).status).toBe(404)
  })

  test('is recorded in the audit log and in the history of the domain', async () => {
    await store.add(project, 'www.kiosk.example')
    const { json } = await store.call('GET', '/v1/audit')
    expect(json[0]).toMatchObject({
      action: 'domain.added',
      details: { projectId: project, hostname: 'www.kiosk.example' },
    })
    expect(await store.events(project, 'www.kiosk.example')).toEqual(['added'])
  })

  test('with the same Idempotency-Key returns the first response', async () => {
    const send = () =>
      store.call('POST', `/v1/projects/${project}/domains`, {
        key: store.own.key,
        body: { hostname: 'www.kiosk.example' },
        headers: { 'Idempotency-Key': 'one' },
      })
    const first = await send()
    const second = await send()
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    const [third, fourth] = await Promise.all([send(), send()])
    expect([third.text, fourth.text]).toEqual([first.text, first.text])
  })

  test('a reused Idempotency-Key is reported before a domain that does not exist', async () => {
    const verify = (headers = {}) =>
      store.call('POST', `/v1/projects/${project}/domains/www.dogs.example/verify`, { key: store.own.key, headers })
    const used = { 'Idempotency-Key': 'used' }
    await store.call('POST', '/v1/projects', { key: store.own.key, body: { name: 'Paws' }, headers: used })
    expect([(await verify(used)).json.code, (await verify()).json.code]).toEqual([
      'idempotency_key_reused',
      'not_found',
    ])
  })

  test('what a key with admin has added to a project of another account is not shown to another key', async () => {
    const body = { name: 'Till', accountId: 1, scopes: ['projects:write'] }
    const { key } = (await store.call('POST', '/v1/keys', { body })).json
    const add = (as: string) =>
      store.call('POST', `/v1/projects/${project}/domains`, {
        key: as,
        body: { hostname: 'www.kiosk.example' },
        headers: { 'Idempotency-Key': 'add' },
      })
    const verify = (as: string) =>
      store.call('POST', `/v1/projects/${project}/domains/www.kiosk.example/verify`, {
        key: as,
        headers: { 'Idempotency-Key': 'verify' },
      })
    for (const send of [add, verify]) {
      const first = await send(store.key)
      expect((await send(key)).json.code).toBe('not_found')
      expect((await send(store.key)).text).toBe(first.text)
    }
  })
})

test('while hosting is off, adding and verifying name the option that turns it on', async () => {
  const off = await openTestStore()
  const { json } = await off.call('POST', '/v1/projects', { body: { name: 'Shop' } })
  const add = await off.call('POST', `/v1/projects/${json.id}/domains`, { body: { hostname: 'www.kiosk.example' } })
  expect(add.json).toMatchObject({ code: 'conflict', message: expect.stringContaining('--platform-domain') })
  expect((await off.call('GET', `/v1/projects/${json.id}/domains`)).json).toEqual([])
  await off.close()
})

test('a hostname in a path is found in any case, in Unicode, and with its final dot', async () => {
  await store.add(project, 'www.bücher.example')
  for (const name of [
    'WWW.xn--bcher-kva.example',
    'www.b%C3%BCcher.example',
    'www.bücher.example',
    'www.xn--bcher-kva.example.',
  ]) {
    const { status, json } = await store.get(project, name)
    expect([name, status, json.hostname]).toEqual([name, 200, 'www.xn--bcher-kva.example'])
  }
  const containing = ['%2Fpath', '%3Fx', '%23x', '%5Cx', '%253A'].map((rest) => `www.xn--bcher-kva.example${rest}`)
  for (const name of [...containing, 'www.xn--bcher-kva.exam%09ple']) {
    expect([name, (await store.get(project, name)).status]).toEqual([name, 404])
  }
  for (const name of ['nowhere.example', '..', '%00', 'a%2Fb.example', '%ff', 'undefined', 'x'.repeat(3_000)]) {
    expect([name, (await store.get(project, name)).status]).toEqual([name, 404])
  }
})

test('a list has pages, with the path of the project in the link', async () => {
  for (const name of ['a', 'b', 'c']) await store.add(project, `${name}.kiosk.example`)
  const first = await store.call('GET', `/v1/projects/${project}/domains?limit=2`, { key: store.own.key })
  const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(next).toStartWith(`/v1/projects/${project}/domains?`)
  const second = await store.call('GET', next, { key: store.own.key })
  const names = [...first.json, ...second.json].map(({ hostname }) => hostname)
  expect(names).toEqual(['a.kiosk.example', 'b.kiosk.example', 'c.kiosk.example'])
  expect(second.headers.get('link')).toBeNull()
})

test('a change honours If-Match', async () => {
  const { headers } = await store.add(project, 'www.kiosk.example')
  const etag = headers.get('etag') ?? ''
  const path = `/v1/projects/${project}/domains/www.kiosk.example`
  const patch = (ifMatch: string) =>
    store.call('PATCH', path, { key: store.own.key, body: { hsts: true }, headers: { 'If-Match': ifMatch } })
  expect((await patch('"other"')).status).toBe(412)
  expect((await patch(etag)).json.hsts).toBe(true)
  expect((await patch(etag)).status).toBe(412)
})

test('deleting a project removes its domains', async () => {
  const { json } = await store.add(project, 'www.kiosk.example')
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  await store.verify(project, 'www.kiosk.example')
  const { routes } = store.app.domainHosting
  expect(routes.find('www.kiosk.example')).toBeDefined()
  await store.call('DELETE', `/v1/projects/${project}`, { key: store.own.key })
  expect(routes.find('www.kiosk.example')).toBeUndefined()
})

describe('the domains of all projects', () => {
  test('are those of the own account, or all for admin, by pages and by hostname', async () => {
    const second = await store.newProject()
    const other = await store.newKey({ plan: 'pro' })
    const foreign = await store.newProject(other.key)
    for (const name of ['b.example', 'bücher.example']) await store.add(project, name)
    await store.add(second, 'b.example')
    await store.add(foreign, 'b.example', {}, other.key)
    const list = async (query = '', key?: string) => {
      const { json, headers } = await store.call('GET', `/v1/domains${query}`, key === undefined ? {} : { key })
      const shown = json.map((one: { projectId: number; hostname: string }) => [one.projectId, one.hostname])
      return [shown, headers.get('link')] as const
    }
    const own = [
      [project, 'b.example'],
      [project, 'xn--bcher-kva.example'],
      [second, 'b.example'],
    ]
    expect(await list('', store.own.key)).toEqual([own, null])
    expect(await list()).toEqual([[...own, [foreign, 'b.example']], null])
    expect((await list('?hostname=B.example', other.key))[0]).toEqual([[foreign, 'b.example']])
    expect((await list('?hostname=b%C3%BCcher.example'))[0]).toEqual([[project, 'xn--bcher-kva.example']])
    const [first, link] = await list('?hostname=b.example&limit=2')
    expect(first).toEqual([
      [project, 'b.example'],
      [second, 'b.example'],
    ])
    const next = /<\/v1\/domains([^>]+)>/.exec(link ?? '')?.[1]
    expect(await list(next)).toEqual([[[foreign, 'b.example']], null])
  })
})

describe('the check of any name', () => {
  const check = (body: object, key?: string) =>
    store.call('POST', '/v1/domains/check', { body, ...(key === undefined ? {} : { key }) })

  test('compares it with the records of its project and stores nothing', async () => {
    const options = { 'platform-domain': 'stores.example', 'public-address': [ours.v4, ours.v6] }
    await store.app.writer.write(() => store.app.hostingSettings.save(options))
    const { json: domain } = await store.add(project, 'www.kiosk.example')
    store.setRecords('kiosk', `www 60 CNAME ${targetOf(domain)}.\nold 60 CNAME abc.edge.stores.example.`)
    const { status, json } = await check({ hostname: 'WWW.kiosk.example' })
    expect([status, json]).toMatchObject([
      200,
      {
        routing: 'verified',
        isProbed: true,
        findings: [],
        publicAddresses: [ours.v4, ours.v6],
        platformDomain: 'stores.example',
      },
    ])
    expect((await check({ hostname: 'old.kiosk.example' })).json.routing).toBe('verified')
    const given = { hostname: 'old.kiosk.example', cnameTargets: ['b.edge.stores.example'] }
    expect((await check(given)).json.findings).toMatchObject([{ code: 'record_wrong_value' }])
    expect((await store.get(project, 'www.kiosk.example')).json).toEqual(domain)
  })

  test('needs the scope admin and valid options', async () => {
    expect((await check({ hostname: 'a.example' }, store.own.key)).status).toBe(403)
    const { status, json } = await check({ hostname: 'a.example', publicAddresses: ['here'] })
    expect([status, json.code]).toEqual([400, 'invalid_body'])
    expect(json.message).toContain('must be an IP address, not "here"')
  })
})
