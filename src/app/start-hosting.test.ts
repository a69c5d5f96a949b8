/** Hosting as a whole, in this process: DNS servers, a certificate authority, the API and the public listeners. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startFakeCa } from '../hosting/certificates/testing/fake-ca.ts'
import { buildZip } from '../hosting/deploys/testing/zip.ts'
import { openDomainStore, ours } from '../hosting/domains/testing/domain-store.ts'
import { testHosting } from '../testing/harness.ts'
import { getRequest, openHttps, parseResponse, sendHttps } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { type Hosting, startHosting } from './start-hosting.ts'

let ca: Awaited<ReturnType<typeof startFakeCa>>
let store: Awaited<ReturnType<typeof openDomainStore>>
let hosting: Hosting

beforeEach(async () => {
  ca = await startFakeCa({ now: () => store.clock.now(), httpPort: () => hosting.httpPort })
  const config = {
    ...testHosting,
    acmeDirectory: ca.directoryUrl,
    publicAddresses: [ours.v4, ours.v6],
    caaIdentities: ['ca.example'],
  }
  store = await openDomainStore({ config: { hosting: config, certificateOf: undefined } })
  const { app, clock } = store
  hosting = await startHosting(app, {
    hosting: config,
    trustedProxies: [],
    platform: app.api.fetch,
    handler: { log: app.log, clock, observe: () => {} },
  })
})
afterEach(async () => {
  await hosting.stop()
  await store.close()
  await ca.stop()
})

const https = (name: string, path = '/', ...fields: string[]) =>
  sendHttps({ port: hosting.httpsPort ?? 0, name, ca: ca.root, text: getRequest(name, path, ...fields) })
const http = (name: string, path = '/') => sendRaw(hosting.httpPort, getRequest(name, path))
const statusOf = (text: string) => (text.startsWith('failed') ? 'failed' : parseResponse(text)[0])
const locationOf = (text: string) => /^location: (.*)\r$/im.exec(text)?.[1]

/** Lets time pass until `check` holds. */
async function until(check: () => unknown): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await check()) return
    store.clock.advance(500)
    await Bun.sleep(2)
  }
  throw new Error('it never happened')
}

async function deploy(projectId: number, title: string): Promise<void> {
  const archive = new Uint8Array(buildZip([{ name: 'index.html', content: title }]))
  const { status } = await store.call('POST', `/v1/projects/${projectId}/deploys`, {
    key: store.own.key,
    headers: { 'Content-Type': 'application/zip' },
    rawBody: new Blob([archive]),
  })
  expect(status).toBe(201)
}

const isServed = async (name: string) => statusOf(await https(name)) !== 'failed'

test('the API, a project and its domain get certificates automatically, and the domain is no longer served once it is removed', async () => {
  expect([statusOf(await https('api.stores.example')), statusOf(await http('api.stores.example'))]).toEqual([
    'failed',
    503,
  ])
  await until(() => isServed('api.stores.example'))
  const api = await https('api.stores.example', '/v1/pets')
  const authorization = `Authorization: Bearer ${store.key}`
  expect(parseResponse(await https('api.stores.example', '/v1/pets', authorization))).toEqual([200, '[]'])
  expect([statusOf(api), /strict-transport-security: (.*)\r/i.exec(api)?.[1]]).toEqual([401, 'max-age=31536000'])

  const project = await store.newProject()
  await deploy(project, 'Shop')
  const slug = 'shop.stores.example'
  expect([statusOf(await https(slug)), parseResponse(await http(slug))]).toEqual(['failed', [200, 'Shop']])
  await until(() => isServed(slug))
  expect(parseResponse(await https(slug))).toEqual([200, 'Shop'])
  expect(locationOf(await http(slug, '/a?b'))).toBe('https://shop.stores.example/a?b')
  await deploy(project, 'Shop 2')
  expect(parseResponse(await https(slug))).toEqual([200, 'Shop 2'])

  const name = 'www.kiosk.example'
  const { cnameTarget } = (await store.call('GET', `/v1/projects/${project}`, { key: store.own.key })).json
  store.setRecords('kiosk', `www 300 CNAME ${cnameTarget}.`)
  expect((await store.add(project, name)).status).toBe(201)
  expect(statusOf(await http(name))).toBe(421)
  expect((await store.verify(project, name)).json.dns.status).toBe('verified')
  expect(parseResponse(await http(name))).toEqual([200, 'Shop 2'])
  await until(() => isServed(name))
  expect(parseResponse(await https(name))).toEqual([200, 'Shop 2'])
  const redirect = await https(slug, '/a?b')
  expect([statusOf(redirect), locationOf(redirect)]).toEqual([307, `https://${name}/a?b`])
  expect([statusOf(await http(slug, '/a')), locationOf(await http(slug, '/a'))]).toEqual([307, `https://${name}/a`])

  expect((await https(name)).toLowerCase()).not.toContain('strict-transport-security')
  await store.change(project, name, { hsts: true })
  expect((await https(name)).toLowerCase()).toContain('strict-transport-security: max-age=31536000')

  const open = await openHttps({ port: hosting.httpsPort ?? 0, name, ca: ca.root, text: '' })
  expect((await store.remove(project, name)).status).toBe(204)
  expect(await open.received).toBe('')
  expect([statusOf(await https(name)), statusOf(await http(name))]).toEqual(['failed', 421])
  expect(parseResponse(await https(slug))).toEqual([200, 'Shop 2'])
}, 60_000)

test('no certificate is ordered while a CAA record forbids the authority, and one is ordered when it allows it', async () => {
  await until(() => isServed('api.stores.example'))
  const project = await store.newProject()
  await deploy(project, 'Shop')
  const name = 'www.kiosk.example'
  const { cnameTarget } = (await store.call('GET', `/v1/projects/${project}`, { key: store.own.key })).json
  store.setRecords('kiosk', `www 300 CNAME ${cnameTarget}.\n@ 300 CAA 0 issue "other.example"`)
  await store.add(project, name)
  await store.verify(project, name)
  const certificate = async () => (await store.get(project, name)).json.certificate
  await until(async () => (await certificate()).status === 'failed')
  expect((await certificate()).error).toContain('other.example')
  store.setRecords('kiosk', `www 300 CNAME ${cnameTarget}.\n@ 300 CAA 0 issue "ca.example"`)
  await until(() => isServed(name))
  expect((await certificate()).status).toBe('active')
}, 60_000)
