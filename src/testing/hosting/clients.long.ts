import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { browserPath, hasBrowser } from '../browser.ts'
import { canRunFakes, canRunPeers, type HostingWorld, openHostingWorld } from './world.ts'

const curl = Bun.which('curl')
const openssl = Bun.which('openssl')
const certutil = Bun.which('certutil')
if (!curl || !openssl || !certutil) console.error('SKIPPED: tests of HTTPS clients need curl, openssl and certutil.')

const name = 'www.kiosk.example'

describe.skipIf(!canRunFakes)(`a custom domain over HTTPS ${canRunPeers ? 'with Pebble' : ''}`, () => {
  let world: HostingWorld
  let root: string
  beforeAll(async () => {
    world = await openHostingWorld(canRunPeers ? 'peers' : 'fakes')
    root = join(world.folder, 'root.pem')
    writeFileSync(root, world.root)
    const project = await world.newProject('Kiosk')
    await world.names.change('kiosk.example', [`www 1 CNAME ${project.cnameTarget}.`])
    await world.add(project.id, name)
    await world.verify(project.id, name)
    await world.reach(project.id, name, 'active')
    for (const one of [name, 'api.stores.example']) await world.served(one)
  })
  afterAll(() => world?.stop())

  async function run(command: readonly string[], env: Record<string, string> = {}) {
    const child = Bun.spawn([...command], {
      cwd: world.folder,
      env: { PATH: '/usr/bin:/bin', ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { out, err, code: await child.exited }
  }

  test.skipIf(!curl)('is accepted by curl, which follows the redirects of HTTP to it', async () => {
    const resolve = ['80', '443'].flatMap((port) => ['--resolve', `*:${port}:${world.address}`])
    const shared = [curl ?? '', '-sS', '--cacert', root, ...resolve, '-L', '-w', '%{url_effective} %{http_code}\n']
    const { out, err, code } = await run([...shared, `http://${name}/`, 'http://kiosk.stores.example/'])
    const page = `<title>Kiosk</title>https://${name}/ 200\n`
    expect([out, err, code]).toEqual([page.repeat(2), '', 0])
  })

  test.skipIf(!curl)('counts requests without a key by the address of the client, not of the service', async () => {
    const resolve = ['--resolve', `api.stores.example:443:${world.address}`]
    const remaining: string[] = []
    for (const client of ['127.0.0.77', '127.0.0.77', '127.0.0.78']) {
      const format = ['-o', '/dev/null', '-w', '%{http_code} %header{x-ratelimit-remaining}']
      const from = ['--interface', client, '-H', 'X-Forwarded-For: 192.0.2.1']
      const url = 'https://api.stores.example/v1/pets'
      remaining.push((await run([curl ?? '', '-sS', '--cacert', root, ...resolve, ...from, ...format, url])).out)
    }
    expect(remaining).toEqual(['401 599', '401 598', '401 599'])
  })

  test.skipIf(!openssl)('is accepted by openssl, with its whole chain', async () => {
    const connect = ['-connect', `${world.address}:443`, '-servername', name, '-verify_hostname', name]
    const command = [
      openssl ?? '',
      's_client',
      ...connect,
      '-CAfile',
      root,
      '-verify_return_error',
      '-alpn',
      'h2,http/1.1',
    ]
    const { out, code } = await run(command)
    expect(out).toContain('Verify return code: 0 (ok)')
    expect(out).toContain('ALPN protocol: http/1.1')
    expect(out).toContain('id-ecPublicKey')
    expect(code).toBe(0)
  })

  // Chromium is stricter about certificates than the authority in this process is.
  test.skipIf(!hasBrowser || !certutil || !canRunPeers)(
    'is accepted by Chromium, from a redirect of HTTP on',
    async () => {
      const home = join(world.folder, 'home')
      const database = join(home, '.pki/nssdb')
      mkdirSync(database, { recursive: true })
      await run([certutil ?? '', '-d', `sql:${database}`, '-N', '--empty-password'])
      await run([certutil ?? '', '-d', `sql:${database}`, '-A', '-t', 'C,,', '-n', 'root', '-i', root])
      const context = await chromium.launchPersistentContext(join(home, 'profile'), {
        executablePath: browserPath ?? '',
        args: ['--headless', '--no-sandbox', `--host-resolver-rules=MAP * ${world.address}`],
        env: { PATH: '/usr/bin:/bin', HOME: home },
      })
      try {
        const page = await context.newPage()
        const response = await page.goto('http://kiosk.stores.example/')
        expect([page.url(), await page.title(), response?.status()]).toEqual([`https://${name}/`, 'Kiosk', 200])
        expect(await response?.securityDetails()).toMatchObject({ protocol: 'TLS 1.3' })
      } finally {
        await context.close()
      }
    },
    60_000,
  )
})
