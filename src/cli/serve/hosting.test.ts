import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIssuer } from '../../hosting/certificates/testing/issuer.ts'
import { executable, isBuilt } from '../../testing/executable.ts'
import { getRequest, parseResponse, sendHttps } from '../../testing/https-client.ts'
import { freePort } from '../../testing/peers/peer.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'
import { sendRaw } from '../../testing/send-raw.ts'

const issuer = await createIssuer()
const wildcard = await issuer.server(['*.stores.example'])

const workspace = workspacePerTest()
beforeEach(() => {
  writeFileSync(join(workspace.path, 'cert.pem'), wildcard.cert)
  writeFileSync(join(workspace.path, 'key.pem'), wildcard.key)
})

// Nothing listens on port 9, so neither DNS nor a certificate authority is contacted.
const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9']
const authority = ['--acme-directory', 'http://127.0.0.1:9/directory']
const ports = ['--http-port', '0', '--https-port', '0']
const certificate = ['--platform-cert', 'cert.pem', '--platform-key', 'key.pem']

const serve = (args: readonly string[], prefix: string[] = []) =>
  workspace.serve([...hosting, ...authority, ...args], prefix)

const startText = (...args: readonly string[]) => workspace.startText(...hosting, ...authority, ...args)

const https = (port: number, name: string, path = '/', ...fields: string[]) =>
  sendHttps({ port, name, ca: issuer.root, text: getRequest(name, path, ...fields) })

describe.skipIf(!isBuilt)('petstore serve with a platform domain', () => {
  test('serves the API and a deployed site over HTTPS, and redirects HTTP there', async () => {
    const { ready, stop } = await serve([...ports, ...certificate])
    const { key = '', httpPort = 0, httpsPort = 0 } = ready
    const api = 'api.stores.example'
    const authorization = `Authorization: Bearer ${key}`
    expect(parseResponse(await https(httpsPort, api, '/v1/pets', authorization))).toEqual([200, '[]'])
    expect(parseResponse(await https(httpsPort, api, '/v1/pets'))[0]).toBe(401)
    const inClear = await sendRaw(httpPort, getRequest(api, '/v1/pets', authorization))
    expect(parseResponse(inClear)).toEqual([403, expect.stringContaining('https_required')])
    expect(inClear).toMatch(/\r\nX-Request-Id: req_/i)
    // As many as the client's address has left, after the request without a key.
    expect(inClear).toMatch(/\r\nX-RateLimit-Remaining: 598\r\n/i)
    mkdirSync(join(workspace.path, 'site'))
    writeFileSync(join(workspace.path, 'site/index.html'), 'My shop')
    await workspace.run('projects', 'create', 'Shop')
    const deployed = await workspace.run('deploy', 'site', '--project', 'shop')
    expect([deployed.code, deployed.out]).toEqual([0, expect.stringContaining('https://shop.stores.example')])
    expect(parseResponse(await https(httpsPort, 'shop.stores.example'))).toEqual([200, 'My shop'])
    expect(await sendRaw(httpPort, getRequest('shop.stores.example', '/a?b'))).toMatch(
      /^HTTP\/1.1 308 [\s\S]*\r\nLocation: https:\/\/shop.stores.example\/a\?b\r\n/i,
    )
    expect(await https(httpsPort, 'other.stores.example')).toStartWith('failed')
    const metrics = await https(httpsPort, api, '/metrics', authorization)
    expect(metrics).toMatch(/petstore_public_connections_total\{listener="http",result="accepted"\} [1-9]/)
    expect(metrics).toMatch(/petstore_public_connections_total\{listener="https",result="rejected"\} 1\n/)
    expect(await stop()).toBe(0)
    expect(readdirSync(join(workspace.path, 'data')).filter((name) => name.endsWith('-sockets'))).toEqual([])
  })

  test('behind a proxy has no HTTPS itself, and the headers of a trusted proxy count', async () => {
    const { ready } = await serve(['--http-port', '0', '--https-port', 'off', '--trusted-proxy', '127.0.0.1'])
    expect(ready).not.toHaveProperty('httpsPort')
    const get = (...fields: string[]) =>
      sendRaw(ready.httpPort ?? 0, getRequest('api.stores.example', '/v1/pets', ...fields)).then(parseResponse)
    const authorization = `Authorization: Bearer ${ready.key}`
    expect((await get(authorization))[0]).toBe(400)
    expect((await get(authorization, 'X-Forwarded-Proto: http'))[0]).toBe(403)
    expect(await get(authorization, 'X-Forwarded-Proto: https')).toEqual([200, '[]'])
    // The address of the client, not that of the proxy, is limited.
    const limits = async (client: string) => {
      const fields = ['X-Forwarded-Proto: https', `X-Forwarded-For: ${client}`]
      const text = await sendRaw(ready.httpPort ?? 0, getRequest('api.stores.example', '/v1/pets', ...fields))
      return Number(/x-ratelimit-remaining: (\d+)/i.exec(text)?.[1])
    }
    expect([await limits('198.51.100.1'), await limits('198.51.100.1'), await limits('198.51.100.2')]).toEqual([
      599, 598, 599,
    ])
  })

  test('prints where it is reachable, and that the authority has terms', async () => {
    const text = await startText(...ports)
    expect(text).toMatch(/Sites +https:\/\/\*\.stores\.example\n/)
    expect(text).toMatch(
      /Public +https:\/\/api\.stores\.example \(HTTP on \d+, HTTPS on \d+.*\), once it has its certificate\n/,
    )
    expect(text).toMatch(/Addresses +the addresses that stores\.example has in the DNS\n/)
    // Until then, the dashboard is open at the listener.
    expect(text).toMatch(
      /Dashboard +http:\/\/127\.0\.0\.1:\d+\/dashboard\/ \(https:\/\/api\.stores\.example\/dashboard\/ once/,
    )
    expect(text).toContain('Using it means accepting its terms')
  })

  test('applies to later starts, which say so, until --platform-domain off', async () => {
    const proxied = ['--http-port', '0', '--https-port', 'off', '--trusted-proxy', '127.0.0.1']
    const first = await serve([...proxied, '--public-host', '127.0.0.1'])
    mkdirSync(join(workspace.path, 'site'))
    writeFileSync(join(workspace.path, 'site/index.html'), 'My shop')
    await workspace.run('projects', 'create', 'Shop')
    await workspace.run('deploy', 'site', '--project', 'shop')
    await first.stop()

    const second = await workspace.serve()
    const get = getRequest('shop.stores.example', '/', 'X-Forwarded-Proto: https')
    expect(parseResponse(await sendRaw(second.ready.httpPort ?? 0, get))).toEqual([200, 'My shop'])
    await second.stop()
    expect(await second.errors).toMatch(
      /"warn".*these options of the last start: --platform-domain stores\.example .*--https-port off .*--trusted-proxy 127\.0\.0\.1\. --platform-domain off turns it off\./,
    )

    const taken = await workspace.serve(['--ephemeral'])
    const busy = await workspace.run('serve', '--port', '0', '--http-port', String(taken.ready.port))
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('Hosting uses the options of the last start (')])

    const off = await workspace.startText('--platform-domain', 'off')
    expect(off).toMatch(
      /\n--platform-domain off has turned hosting off\. Its options were: --platform-domain stores\.example .*\. 1 website and 0 domains are offline\.\n/,
    )
    expect(off).toContain('\nHosting is off: no website is served.')
    const text = await workspace.startText()
    expect(text).toContain('\nHosting is off: no website is served.')
    expect(text).not.toContain('stores.example')
    expect((await workspace.run('deploy', 'site', '--project', 'shop')).out).toMatch(/is stored: [\s\S]*hosting is off/)
    expect(await startText(...ports, '--sites-domain', 'sites.example')).not.toContain('the last start')
    expect(await startText(...ports)).toContain('last start that no longer apply: --sites-domain sites.example.')
  })

  test('of a start that fails changes nothing for later starts', async () => {
    await (await serve(ports)).stop()
    const taken = String((await workspace.serve(['--ephemeral'])).ready.port)
    const other = ['--platform-domain', 'other.example', ...ports]
    for (const failing of [
      [...other, '--port', taken],
      ['--platform-domain', 'other.example', '--port', '0', '--https-port', '0', '--http-port', taken],
      [...other, '--port', '0', '--platform-cert', 'missing.pem', '--platform-key', 'key.pem'],
      ['--platform-domain', 'off', '--port', taken],
    ]) {
      const { code } = await workspace.run('serve', ...failing)
      expect([failing, code]).toEqual([failing, 1])
    }
    expect(await workspace.startText()).toContain('last start: --platform-domain stores.example')
  })

  test('says that staging gets no certificates at a port that is not 80, and only then', async () => {
    const line =
      /^Staging gets certificates only if port 80 of its public address is forwarded to port \d+ of this machine\. .*its own address or machine\.$/m
    const staging = ['--environment', 'staging']
    expect(await startText(...staging, ...ports)).toMatch(line)
    expect(await startText(...ports)).not.toMatch(/^Staging/m)
    const proxied = ['--http-port', '0', '--https-port', 'off', '--trusted-proxy', '127.0.0.1']
    expect(await startText(...staging, ...proxied)).not.toMatch(/^Staging/m)
    const { stop, errors } = await serve([...staging, ...ports])
    await stop()
    expect(await errors).toMatch(/"warn".*"Staging gets certificates only if port 80/)
  })

  test('exits with 1 and says what to do if a public port cannot be used', async () => {
    const { ready } = await serve([...ports, ...certificate])
    const start = (...args: string[]) => workspace.run('serve', '--data', 'other', '--port', '0', ...hosting, ...args)
    for (const [option, other] of [
      ['--http-port', '--https-port'],
      ['--https-port', '--http-port'],
    ] as const) {
      const { code, err } = await start(option, String(ready.httpPort), other, '0')
      expect([code, err.trim().split('\n').length]).toEqual([1, 1])
      expect(err).toContain(`Can't listen on the public port ${ready.httpPort}: it is in use`)
      expect(err).toContain(option)
    }
    const { code, err } = await start(...ports, '--public-host', '192.0.2.1')
    expect([code, err]).toEqual([1, expect.stringContaining('Choose another with --public-host')])
    const missing = await start(...ports, '--platform-cert', 'cert.pem', '--platform-key', 'missing.pem')
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringMatching(/\/missing\.pem: there is no such file\.\n$/),
    ])
    const broken = await start(...ports, '--platform-cert', 'cert.pem', '--platform-key', 'cert.pem')
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('the key is not a private key in PEM')])
  })

  test('says that a public port is the port of the API already', async () => {
    const port = String(await freePort('127.0.0.1'))
    const same = ['--port', port, '--public-host', '127.0.0.1']
    const { code, err } = await workspace.run('serve', ...hosting, ...same, '--http-port', port, '--https-port', '0')
    expect([code, err]).toEqual([1, expect.stringContaining('it is the port of --port. Choose another one')])
  })

  const setpriv = Bun.which('setpriv')
  const firstPort = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
  const isPrivileged = process.platform === 'linux' && readFileSync(firstPort, 'utf8').trim() === '1024'
  if (!setpriv || !isPrivileged) console.error('SKIPPED: a port that needs a privilege needs setpriv and Linux.')
  test.skipIf(!setpriv || !isPrivileged)('exits with 1 and three ways out without the privilege for port 80', () => {
    const args = ['serve', '--ephemeral', '--port', '0', ...hosting, '--public-host', '127.0.0.1']
    const drop = [setpriv ?? '', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service']
    const { exitCode, stderr } = Bun.spawnSync([...drop, executable, ...args], { cwd: workspace.path })
    const text = stderr.toString()
    expect([exitCode, text.trim().split('\n').length]).toEqual([1, 1])
    for (const way of ['setcap cap_net_bind_service', 'petstore service install', '--http-port 8000']) {
      expect(text).toContain(way)
    }
  })

  const strace = Bun.which('strace')
  if (!strace) console.error('SKIPPED: a machine without IPv6 needs strace.')
  test.skipIf(!strace)('listens on IPv4 where the machine has no IPv6', async () => {
    // The first socket of the process is that of --host, the second is public.
    const fault = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=bind', '-e', 'inject=bind:error=EAFNOSUPPORT:when=2']
    const { ready } = await serve([...ports, ...certificate], [strace ?? '', ...fault])
    expect(parseResponse(await https(ready.httpsPort ?? 0, 'api.stores.example', '/healthz'))[0]).toBe(200)
  })
})
