import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Handler, startDnsServer, type TestServer } from '../../dns/testing/dns-server.ts'
import { answerFrom, type TestZone, zone } from '../../dns/testing/zone.ts'
import { buildZip } from '../../hosting/deploys/testing/zip.ts'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  proxiedHosting,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

// A random loopback address, so that two simultaneous runs do not share one.
const [x = 0, y = 0] = crypto.getRandomValues(new Uint8Array(2))
const address = `127.54.${x}.${y}`

/** Queries to authoritative servers use port 53, which needs a privilege to listen on. */
async function listenAtPort53(handle: Handler): Promise<TestServer | undefined> {
  try {
    return await startDnsServer(address, handle, { port: 53 })
  } catch {
    console.error('SKIPPED: tests of `domains verify` need to listen on port 53 of 127.0.0.0/8.')
    return undefined
  }
}

let zones: readonly TestZone[] = []
function setRecords(records: string): void {
  zones = [
    zone('example', `@ 60 NS ns\nns 60 A ${address}`),
    zone('kiosk.example', `@ 60 NS ns\nns 60 A ${address}\n${records}`),
    zone('stores.example', `@ 60 NS ns.kiosk.example.\n@ 60 A 127.9.9.9\n* 60 A 127.9.9.9\n*.edge 60 A 127.9.9.9`),
  ]
}
const dns = isBuilt
  ? await listenAtPort53(({ name, type }) => {
      const { rcode, ...found } = answerFrom(zones, name, type)
      return { ...found, rcode: rcode === 'NXDOMAIN' ? 3 : rcode === 'REFUSED' ? 5 : 0 }
    })
  : undefined
afterAll(() => dns?.close())

const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', address, '--allow-private-addresses']

describe.skipIf(!dns)('petstore domains', () => {
  const folder = emptyFolder()
  afterAll(folder.remove)
  let server: PetstoreProcess | undefined
  afterAll(() => server?.kill())
  const petstore = (...args: string[]) => runPetstore(['domains', ...args], { cwd: folder.path })
  const json = async (...args: string[]) => JSON.parse((await petstore(...args, '--json')).out)
  const call = async (method: string, path: string, body?: BodyInit, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${server?.ready.key}`, ...(body ? { 'Content-Type': type } : {}) }
    return await fetch(`${server?.ready.url}/v1${path}`, { method, headers, ...(body ? { body } : {}) })
  }
  beforeAll(async () => {
    setRecords('')
    server = await startPetstoreProcess([...hosting, ...proxiedHosting], { cwd: folder.path })
    await call('POST', '/projects', JSON.stringify({ name: 'Paws' }))
    const archive = buildZip([{ name: 'index.html', content: 'Paws' }])
    writeFileSync(join(folder.path, 'site.zip'), archive)
    await call('POST', '/projects/1/deploys', Bun.file(join(folder.path, 'site.zip')), 'application/zip')
  })

  test('add, list, verify and remove work beside a running server which shows each change', async () => {
    expect((await petstore('list')).out).toContain('petstore domains add HOST --project SLUG')
    const added = await petstore('add', 'WWW.kiosk.example', '--project', 'paws')
    expect([added.code, added.err]).toEqual([0, ''])
    expect(added.out).toMatch(/^TYPE +NAME +VALUE/)
    expect(added.out).toContain('petstore domains verify www.kiosk.example')
    const [domain] = await json('list')
    expect(domain).toMatchObject({ hostname: 'www.kiosk.example', state: 'pending_dns', role: 'primary' })
    const path = '/projects/1/domains/www.kiosk.example'
    expect(await (await call('GET', path)).json()).toEqual(domain)

    const missing = await petstore('verify', 'www.kiosk.example')
    expect([missing.code, missing.out]).toEqual([1, expect.stringContaining('ERROR record_missing')])
    setRecords(`www 60 CNAME ${domain.records[0].value}.`)
    const verified = await petstore('verify', 'www.kiosk.example')
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('verified and active')])
    expect((await (await call('GET', path)).json()).state).toBe('active')

    const removed = await json('remove', 'www.kiosk.example')
    expect(removed).toMatchObject({ hostname: 'www.kiosk.example', state: 'active' })
    expect((await call('GET', path)).status).toBe(404)
    expect(await json('list')).toEqual([])
  })

  test('an apex is shown with ALIAS, the addresses of the platform domain, and the TXT record', async () => {
    const domain = await json('add', 'kiosk.example', '--project', 'paws', '--with-www')
    const shown = domain.records.map(({ type, value }: Record<string, string>) => [type, value])
    expect(shown.slice(0, 2)).toEqual([
      ['ALIAS', expect.stringContaining('.edge.stores.example')],
      ['A', '127.9.9.9'],
    ])
    setRecords(`@ 60 A 127.9.9.9\n_petstore-verify 60 TXT "${shown.at(-1)[1]}"`)
    expect((await json('verify', 'kiosk.example')).dns.status).toBe('verified')
    const hosts = (await json('list', '--project', 'paws')).map(({ hostname }: { hostname: string }) => hostname)
    expect(hosts).toEqual(['kiosk.example', 'www.kiosk.example'])
    const first = await petstore('remove', 'kiosk.example')
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('www.kiosk.example stays: remove it too')])
    const second = await petstore('remove', 'www.kiosk.example')
    expect([second.code, second.out]).toEqual([0, expect.not.stringContaining('stays')])
  })

  test('the command that checks a new domain works as pasted, in the same directory', async () => {
    const data = join(folder.path, 'data')
    const add = ['domains', 'add', 'pasted.kiosk.example', '--project', 'paws', '--data', data]
    const { out } = await runPetstore(add, { cwd: '/' })
    expect(out).toContain(`then run: petstore domains verify pasted.kiosk.example --data ${data}\n`)
    await petstore('remove', 'pasted.kiosk.example')
  })

  test('a name and its www. are added with the command that checks each of them', async () => {
    const { out } = await petstore('add', 'kiosk.example', '--project', 'paws', '--with-www')
    const commands = [...out.matchAll(/petstore domains verify (\S+)/g)].map(([, hostname]) => hostname)
    expect(commands).toEqual(['kiosk.example', 'www.kiosk.example'])
    for (const hostname of ['kiosk.example', 'www.kiosk.example']) await petstore('remove', hostname)
  })

  test('faults exit with 1 or 2, print one line, and change nothing', async () => {
    const cases = [
      [1, 'add', 'www.kiosk.example', '--project', 'nothing'],
      [2, 'add', 'www.kiosk.example'],
      [2, 'add', '--project', 'paws'],
      [1, 'add', 'api.stores.example', '--project', 'paws'],
      [1, 'add', 'co.uk', '--project', 'paws'],
      [1, 'verify', 'nowhere.example'],
      [1, 'remove', 'undefined'],
      [1, 'list', '--project', 'x'],
    ] as const
    for (const [code, ...args] of cases) {
      const result = await petstore(...args)
      expect([args, result.code, result.out, result.err.trimEnd().split('\n').length]).toEqual([args, code, '', 1])
    }
    expect(await json('list')).toEqual([])
  })

  test('the commands work without a server, with the options that it was started with', async () => {
    await server?.stop()
    server = undefined
    const domain = await json('add', 'shop.kiosk.example', '--project', 'paws')
    setRecords(`shop 60 CNAME ${domain.records[0].value}.`)
    expect((await json('verify', 'shop.kiosk.example')).dns.status).toBe('verified')
    expect((await petstore('verify', 'shop.kiosk.example', '--platform-domain', 'other.example')).code).toBe(2)
    expect((await petstore('remove', 'shop.kiosk.example')).code).toBe(0)
    const apex = await json('add', 'kiosk.example', '--project', 'paws')
    expect(apex.records[1]).toMatchObject({ type: 'A', value: '127.9.9.9' })
    setRecords(`@ 60 A 127.9.9.9\n_petstore-verify 60 TXT "${apex.records.at(-1).value}"`)
    expect((await json('verify', 'kiosk.example')).dns.status).toBe('verified')
  })
})
