/** Hosting from outside: the compiled executable with PowerDNS, unbound and Pebble, as processes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeCa } from '../certificates/testing/fake-ca.ts'
import type { Step } from '../certificates/testing/fake-order.ts'
import { buildZip } from '../deploys/testing/zip.ts'
import { emptyFolder, isBuilt, type PetstoreProcess, runPetstore, startPetstoreProcess } from '../testing/executable.ts'
import { getRequest, parseResponse, sendHttps } from '../testing/https-client.ts'
import { hasWorld, type PeerWorld, platformDomain, serviceAddress, startWorld } from '../testing/peers/world.ts'

const isPossible = isBuilt && hasWorld
const curl = Bun.which('curl')
const openssl = Bun.which('openssl')
const [chromium, certutil] = [Bun.which('chromium'), Bun.which('certutil')]
if (isPossible && !(chromium && certutil)) {
  console.error('SKIPPED: whether Chromium accepts the certificates needs Chromium and certutil (libnss3-tools).')
}

/** Looks every 100 ms, for at most a minute: the processes have clocks of their own. */
async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < 600; count++) {
    const found = await look()
    if (found !== undefined) return found
    await Bun.sleep(100)
  }
  throw new Error(`${what} did not happen within a minute`)
}

describe.skipIf(!isPossible)('with PowerDNS, unbound and Pebble', () => {
  let world: PeerWorld
  let folder: ReturnType<typeof emptyFolder>
  let server: PetstoreProcess
  let key = ''
  let root = ''
  let project: { readonly id: number; readonly slug: string; readonly cnameTarget: string }

  async function call(method: string, path: string, body?: object) {
    const response = await fetch(`${server.ready.url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: each test asserts the content of the body
    return { status: response.status, json: (text === '' ? undefined : JSON.parse(text)) as any }
  }

  const start = () =>
    startPetstoreProcess(world.options(world.pebble.directoryUrl, 'pebble.example'), {
      cwd: folder.path,
      env: { NODE_EXTRA_CA_CERTS: world.pebble.caFile },
    })

  const domains = () => `/projects/${project.id}/domains`
  const https = (name: string, path = '/') =>
    sendHttps({ port: world.httpsPort, name, ca: root, text: getRequest(name, path) })

  /** The listener takes a new certificate shortly after it is installed. */
  const served = (name: string) =>
    until(`HTTPS of ${name}`, async () => {
      const text = await https(name)
      return text.startsWith('failed') ? undefined : text
    })

  /** Adds a domain; its records follow, then it is verified. */
  async function add(hostname: string, zone: string, records: (domain: Added) => readonly string[]) {
    const added = await call('POST', domains(), { hostname })
    expect([hostname, added.status]).toEqual([hostname, 201])
    await world.change(zone, records(added.json as Added))
    return (await call('POST', `${domains()}/${hostname}/verify`)).json
  }

  interface Added {
    readonly records: readonly { readonly type: string; readonly fqdn: string; readonly value: string }[]
  }
  const recordsOf = ({ records }: Added, types: readonly string[]) =>
    types.flatMap((type) => {
      const found = records.find((record) => record.type === type)
      return found ? [`${found.fqdn}. IN ${type} ${type === 'TXT' ? `"${found.value}"` : `${found.value}.`}`] : []
    })

  const active = (hostname: string) =>
    until(`a certificate of ${hostname}`, async () => {
      const { json } = await call('GET', `${domains()}/${hostname}`)
      return json.state === 'active' ? json : undefined
    })

  beforeAll(async () => {
    folder = emptyFolder()
    world = await startWorld(['shop.example', 'kiosk.example', 'faults.example', 'bank.example'])
    root = await world.pebble.root()
    writeFileSync(join(folder.path, 'root.pem'), root)
    server = await start()
    key = server.ready.key ?? ''
    project = (await call('POST', '/projects', { name: 'Shop' })).json
    const site = buildZip([{ name: 'index.html', content: '<h1>Our animals</h1>' }])
    const deployed = await fetch(`${server.ready.url}/v1/projects/${project.id}/deploys`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/zip' },
      body: new Uint8Array(site),
    })
    expect(deployed.status).toBe(201)
  })
  afterAll(async () => {
    await server?.stop()
    await world?.stop()
    folder?.remove()
  })

  test('a domain with a CNAME reaches a page over HTTPS', async () => {
    await add('www.shop.example', 'shop.example', (domain) => recordsOf(domain, ['CNAME']))
    await active('www.shop.example')
    const [status, body] = parseResponse(await served('www.shop.example'))
    expect([status, body]).toEqual([200, '<h1>Our animals</h1>'])
    const { json } = await call('GET', `${domains()}/www.shop.example/events`)
    const messages = json.map(({ message }: { message: string }) => message)
    expect(messages).toContainEqual(expect.stringContaining('A certificate was issued. It is valid until'))
  })

  test('an apex with an ALIAS reaches a page over HTTPS, by a redirect to the primary domain', async () => {
    await add('kiosk.example', 'kiosk.example', (domain) => recordsOf(domain, ['ALIAS', 'TXT']))
    await active('kiosk.example')
    const text = await served('kiosk.example')
    expect(parseResponse(text)[0]).toBe(301)
    expect(text).toMatch(/^location: https:\/\/www\.shop\.example/im)
  })

  test('the platform has certificates for the API and for projects', async () => {
    const names = [`api.${platformDomain}`, `${project.slug}.${platformDomain}`]
    for (const name of names) {
      expect([200, 302, 307, 308, 401, 404]).toContain(parseResponse(await served(name))[0])
    }
  })

  test.skipIf(!curl || !openssl)('curl and openssl accept what is served', async () => {
    const name = 'www.shop.example'
    const curled = Bun.spawn(
      [
        curl ?? '',
        ...['--silent', '--cacert', join(folder.path, 'root.pem')],
        ...['--connect-to', `${name}:443:${serviceAddress}:${world.httpsPort}`, `https://${name}/`],
      ],
      { stdout: 'pipe', stderr: 'pipe' },
    )
    expect(await new Response(curled.stdout).text()).toBe('<h1>Our animals</h1>')
    const verified = Bun.spawn(
      [
        openssl ?? '',
        ...['s_client', '-connect', `${serviceAddress}:${world.httpsPort}`, '-servername', name],
        ...['-verify_hostname', name, '-verify_return_error', '-CAfile', join(folder.path, 'root.pem')],
      ],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    )
    expect(await new Response(verified.stdout).text()).toContain('Verify return code: 0 (ok)')
  })

  test.skipIf(!chromium || !certutil)('Chromium accepts what is served', async () => {
    const store = join(folder.path, '.pki/nssdb')
    mkdirSync(store, { recursive: true })
    const trust = ['-A', '-d', `sql:${store}`, '-t', 'C,,', '-n', 'pebble', '-i', join(folder.path, 'root.pem')]
    for (const args of [['-N', '-d', `sql:${store}`, '--empty-password'], trust]) {
      expect(await Bun.spawn([certutil ?? '', ...args], { stdout: 'ignore', stderr: 'ignore' }).exited).toBe(0)
    }
    const name = 'www.shop.example'
    const rules = `MAP ${name}:443 ${serviceAddress}:${world.httpsPort}`
    const options = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
    const browser = Bun.spawn(
      [chromium ?? '', ...options, `--host-resolver-rules=${rules}`, '--dump-dom', `https://${name}/`],
      { env: { PATH: '/usr/bin:/bin', HOME: folder.path }, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
    )
    expect(await new Response(browser.stdout).text()).toContain('<h1>Our animals</h1>')
  })

  const faults: readonly (readonly [string, (domain: Added) => readonly string[], string])[] = [
    ['a wrong CNAME', () => ['w1 IN CNAME elsewhere.kiosk.example.'], 'record_wrong_value'],
    ['a conflicting A record', () => ['w2 IN A 127.0.0.9'], 'conflict_a'],
    [
      'a CAA record that forbids',
      (domain) => [...recordsOf(domain, ['CNAME']), '@ IN CAA 0 issue "other.example"'],
      'caa_forbids',
    ],
    [
      'a dead name server',
      (domain) => [...recordsOf(domain, ['CNAME']), '@ IN NS ns2.faults.example.', 'ns2 IN A 127.0.0.253'],
      'dns_timeout',
    ],
  ]
  for (const [count, [fault, records, code]] of faults.entries()) {
    test(`${fault} ends in the finding ${code}`, async () => {
      const hostname = `w${count + 1}.faults.example`
      const domain = await add(hostname, 'faults.example', records)
      expect(domain.findings.map((finding: { code: string }) => finding.code)).toContain(code)
      expect((await https(hostname)).startsWith('failed')).toBe(true)
      expect((await call('DELETE', `${domains()}/${hostname}`)).status).toBe(204)
    })
  }

  test("a name that the authority rejects ends in ca_refused, with the authority's own words", async () => {
    await add('www.bank.example', 'bank.example', (domain) => recordsOf(domain, ['CNAME']))
    const domain = await until('the rejection', async () => {
      const { json } = await call('GET', `${domains()}/www.bank.example`)
      return json.certificate.status === 'failed' ? json : undefined
    })
    const finding = domain.findings.find(({ code }: { code: string }) => code === 'ca_refused')
    expect(finding.message).toContain('issuance is forbidden by policy')
    expect(domain.certificate.error).toContain('issuance is forbidden by policy')
    expect(domain.state).toBe('cert_error')
  })

  test('certificates survive kill -9, and the metrics have their days left', async () => {
    await server.kill()
    server = await start()
    expect(parseResponse(await served('www.shop.example'))[0]).toBe(200)
    const metrics = await (
      await fetch(`${server.ready.url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
    ).text()
    expect(metrics).toMatch(/petstore_certificate_days_left\{hostname="www\.shop\.example",kind="domain"\} \d+/)
  })

  test('a backup that is restored elsewhere serves the site with its certificate', async () => {
    const elsewhere = emptyFolder()
    try {
      const made = await runPetstore(['backup', 'create', '--json'], { cwd: folder.path })
      const { file } = JSON.parse(made.out) as { file: string }
      expect(await server.stop()).toBe(0)
      await runPetstore(['demo'], { cwd: elsewhere.path })
      expect(await runPetstore(['backup', 'restore', file], { cwd: elsewhere.path })).toMatchObject({ code: 0 })
      // Pebble is not reachable with its root: nothing can be ordered.
      const restored = await startPetstoreProcess(world.options(world.pebble.directoryUrl, 'pebble.example'), {
        cwd: elsewhere.path,
      })
      expect(parseResponse(await served('www.shop.example'))).toEqual([200, '<h1>Our animals</h1>'])
      expect(await restored.stop()).toBe(0)
    } finally {
      server = await start()
      elsewhere.remove()
    }
  })

  test('a removed domain is out of use at once', async () => {
    expect((await call('DELETE', `${domains()}/www.shop.example`)).status).toBe(204)
    expect((await https('www.shop.example')).startsWith('failed')).toBe(true)
  })
})

describe.skipIf(!isPossible)('the executable, killed at any step of an order,', () => {
  const steps: readonly Step[] = ['newAccount', 'newOrder', 'authorization', 'challenge', 'finalize', 'certificate']
  let world: PeerWorld
  beforeAll(async () => {
    world = await startWorld([])
  })
  afterAll(() => world?.stop())

  for (const step of steps) {
    test(`completes it after a kill during "${step}"`, async () => {
      const folder = emptyFolder()
      const ca = await startFakeCa({ now: Date.now, httpPort: () => world.httpPort })
      const start = () => startPetstoreProcess(world.options(ca.directoryUrl, 'ca.example'), { cwd: folder.path })
      const name = `api.${platformDomain}`
      try {
        const first = await start()
        const reached = Promise.withResolvers<void>()
        ca.settings.beforeResponse = async (processed) => {
          if (processed !== step) return
          reached.resolve()
          await first.process.exited
        }
        await reached.promise
        await first.kill()
        ca.settings.beforeResponse = undefined
        const second = await start()
        await until(`HTTPS of ${name}`, async () => {
          const text = await sendHttps({ port: world.httpsPort, name, ca: ca.root, text: getRequest(name, '/docs') })
          return text.startsWith('failed') ? undefined : true
        })
        await second.stop()
        expect([ca.accounts.size, ca.orders.size]).toEqual([1, 1])
      } finally {
        await ca.stop()
        folder.remove()
      }
    })
  }
})
