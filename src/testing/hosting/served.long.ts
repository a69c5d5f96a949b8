import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseResponse } from '../https-client.ts'
import { canRunPeers, fieldOf, type HostingWorld, openHostingWorld, site, statusOf } from './world.ts'

describe.skipIf(!canRunPeers)('the executable, with Pebble, PowerDNS and unbound,', () => {
  let world: HostingWorld
  let project: Awaited<ReturnType<HostingWorld['newProject']>>
  const www = 'www.kiosk.example'
  const apex = 'kiosk.example'
  beforeAll(async () => {
    world = await openHostingWorld('peers')
    project = await world.newProject('Kiosk')
  })
  afterAll(() => world?.stop())

  test('gets certificates for the API and a project without help', async () => {
    await world.until(async () => statusOf(await world.https('api.stores.example', '/v1/pets')) === 401)
    await world.until(async () => statusOf(await world.https('kiosk.stores.example')) === 200)
    const api = await world.http('api.stores.example', '/v1/pets')
    expect([statusOf(api), JSON.parse(parseResponse(api)[1])]).toEqual([
      403,
      { code: 'https_required', status: 403, message: expect.stringContaining('https://api.stores.example') },
    ])
    const page = await world.http('api.stores.example', '/docs')
    expect([statusOf(page), fieldOf(page, 'location')]).toEqual([308, 'https://api.stores.example/docs'])
  })

  test('serves a domain with a CNAME over HTTPS, and redirects to it', async () => {
    const added = await world.add(project.id, www)
    expect(added).toMatchObject({ status: 201, json: { state: 'pending_dns', role: 'primary' } })
    const [record] = added.json.records
    expect(record).toMatchObject({ type: 'CNAME', name: 'www', value: project.cnameTarget })
    await world.names.change(apex, [`${record.name} 1 CNAME ${record.value}.`])
    expect((await world.verify(project.id, www)).json).toMatchObject({
      state: 'issuing',
      dns: { status: 'verified' },
      certificate: { status: 'queued' },
    })
    const active = await world.reach(project.id, www, 'active')
    expect(active).toMatchObject({ findings: [], certificate: { status: 'active', error: null } })
    const page = await world.served(www)
    const events = (await world.call('GET', `/v1/projects/${project.id}/domains/${www}/events`)).json
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['certificate', 'verified', 'added'])
    expect(parseResponse(page)[1]).toBe('<title>Kiosk</title>')
    const moved = [
      await world.http(www, '/a%20b?c'),
      await world.http('kiosk.stores.example', '/a%20b?c'),
      await world.https('kiosk.stores.example', '/a%20b?c'),
    ]
    expect(moved.map((text) => [statusOf(text), fieldOf(text, 'location')])).toEqual([
      [308, `https://${www}/a%20b?c`],
      [307, `https://${www}/a%20b?c`],
      [307, `https://${www}/a%20b?c`],
    ])
  })

  test('serves an apex with an ALIAS over HTTPS, once a TXT record proves its owner', async () => {
    const { records } = (await world.add(project.id, apex)).json
    const [alias, txt] = ['ALIAS', 'TXT'].map((type) =>
      records.find((record: { type: string }) => record.type === type),
    )
    const lines = [`www 1 CNAME ${project.cnameTarget}.`, `@ 1 ALIAS ${alias.value}.`]
    await world.names.change(apex, lines)
    const unproven = (await world.verify(project.id, apex)).json
    expect([unproven.state, unproven.findings.map(({ code }: { code: string }) => code)]).toEqual([
      'pending_ownership',
      ['txt_missing'],
    ])
    await world.names.change(apex, [...lines, `${txt.name} 1 TXT "${txt.value}"`])
    expect((await world.verify(project.id, apex)).json.dns.status).toBe('verified')
    await world.reach(project.id, apex, 'active')
    const redirect = await world.until(async () => {
      const text = await world.https(apex, '/x?y')
      return statusOf(text) === 301 && text
    })
    expect(fieldOf(redirect, 'location')).toBe(`https://${www}/x?y`)
    expect((await world.call('GET', `/v1/projects/${project.id}/redirects`)).json).toEqual([
      { from: apex, to: www, status: 301 },
    ])
    expect((await world.change(project.id, apex, { role: 'primary' })).status).toBe(200)
    const page = await world.https(apex)
    expect(parseResponse(page)).toEqual([200, '<title>Kiosk</title>'])
    expect(fieldOf(await world.https(www, '/x?y'), 'location')).toBe(`https://${apex}/x?y`)
    expect((await world.change(project.id, www, { role: 'primary' })).status).toBe(200)
  })

  test('sends HSTS if the domain has it, and nothing for names that it does not serve', async () => {
    expect(fieldOf(await world.https(www), 'strict-transport-security')).toBeUndefined()
    await world.change(project.id, www, { hsts: true })
    expect(fieldOf(await world.https(www), 'strict-transport-security')).toBe('max-age=31536000')
    await world.change(project.id, www, { hsts: false })
    for (const name of ['stores.example', 'x.edge.stores.example', 'other.example', '127.0.0.1']) {
      expect([name, statusOf(await world.http(name)), await world.https(name)]).toEqual([
        name,
        421,
        expect.stringMatching(/^failed/),
      ])
    }
  })

  test('serves a new deploy at once, and its domain is in the metrics and in the commands', async () => {
    const path = `/v1/projects/${project.id}/deploys`
    expect((await world.call('POST', path, site('Kiosk 2'))).status).toBe(201)
    expect(parseResponse(await world.https(www))[1]).toBe('<title>Kiosk 2</title>')
    const { text } = await world.call('GET', '/metrics')
    const lines = text.split('\n')
    const value = (series: string) =>
      Number(
        lines
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')
          .at(-1),
      )
    expect(value('petstore_certificates{state="valid"}')).toBe(4)
    expect(value('petstore_certificate_orders_total{outcome="issued"}')).toBe(4)
    expect(value(`petstore_certificate_days_left{hostname="${www}",kind="domain"}`)).toBeGreaterThan(80)
    expect(value('petstore_domains{status="verified"}')).toBe(2)
    expect(value('petstore_domain_checks_total{outcome="proven"}')).toBe(2)
    expect(value('petstore_requests_total{operation="site",status="200"}')).toBeGreaterThan(0)
    const { out, code } = await world.run('domains', 'list', '--json')
    expect(code).toBe(0)
    const states = JSON.parse(out).map(({ hostname, state }: Record<string, string>) => [hostname, state])
    expect(states.sort()).toEqual([
      [apex, 'active'],
      [www, 'active'],
    ])
  })

  test('ends a domain that is removed at once, on open connections too', async () => {
    const request = `GET / HTTP/1.1\r\nHost: ${www}\r\n\r\n`
    const open = await world.open(www, request)
    expect(statusOf(await world.https(www))).toBe(200)
    expect((await world.remove(project.id, www)).status).toBe(204)
    open.socket?.write(request)
    expect((await open.received).split('HTTP/1.1 200')).toHaveLength(2)
    expect([statusOf(await world.http(www)), await world.https(www)]).toEqual([421, expect.stringMatching(/^failed/)])
    expect(parseResponse(await world.https(apex))[0]).toBe(200)
    expect((await world.call('GET', `/v1/projects/${project.id}/domains/${www}`)).status).toBe(404)
  })
})
