import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Handler, startDnsServer, type TestServer } from '../../dns/testing/dns-server.ts'
import { answerFrom, zone } from '../../dns/testing/zone.ts'
import { emptyFolder, isBuilt, proxiedHosting, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'

const folder = emptyFolder()
afterAll(folder.remove)
const petstore = (...args: string[]) => runPetstore(['domains', 'check', ...args], { cwd: folder.path })

// Nothing listens on this port, and no packet leaves the machine.
const nowhere = ['--dns-resolver', '127.0.0.1:9']

describe.skipIf(!isBuilt)('petstore domains check', () => {
  test('says why a name is invalid, exits with 1 and creates no store', async () => {
    const { out, err, code } = await petstore('a..b.example', ...nowhere)
    expect([code, err]).toEqual([1, ''])
    expect(out).toContain('ERROR invalid_hostname\n  "a..b.example" has an empty label')
    expect(out).toEndWith('Found 1 fault.\n')
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('prints one JSON document with --json and nothing else', async () => {
    const { out, err, code } = await petstore('*.shop.example', '--json', ...nowhere)
    expect([code, err]).toEqual([1, ''])
    const report = JSON.parse(out)
    expect(report).toMatchObject({ hostname: '*.shop.example', routing: 'failed', findings: [{ severity: 'error' }] })
    expect(Object.keys(report.findings[0])).toEqual([
      'code',
      'severity',
      'name',
      'type',
      'expected',
      'observed',
      'message',
      'fix',
      'expiresAt',
    ])
  })

  test('exits with 1 and reports a timeout if no resolver responds', async () => {
    const { out, code } = await petstore('www.shop.example', ...nowhere)
    expect([code, out]).toEqual([1, expect.stringContaining('ERROR dns_timeout')])
    expect(out).toContain('CONNECTION_REFUSED')
  })

  test('prints no control character of a name', async () => {
    const { out } = await petstore('\u001b[31mred.example', ...nowhere)
    expect(out).not.toContain('\u001b')
  })

  test('uses the options with which the store was last served, and its own instead where they are given', async () => {
    const served = emptyFolder()
    const options = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9', '--http-port', '0']
    const server = await startPetstoreProcess([...options, '--public-host', '127.0.0.1', '--https-port', '0'], {
      cwd: served.path,
    })
    await server.stop()
    const check = async (...args: string[]) => {
      return (await runPetstore(['domains', 'check', ...args], { cwd: served.path })).out
    }
    expect(await check('x.stores.example')).toContain('ERROR platform_domain')
    expect(await check('www.shop.example')).toContain('127.0.0.1:9 ')
    expect(await check('www.shop.example', '--dns-resolver', '127.0.0.2:9')).toContain('127.0.0.2:9 ')
    served.remove()
  })

  test('exits with 2 for an invalid option', async () => {
    const wrong = [
      ['--dns-resolver', 'dns.example'],
      ['--public-address', '1.2.3'],
      ['--platform-domain', 'stores'],
      ['--cname-target', 'a b'],
      ['--caa-identity', 'https://letsencrypt.org'],
    ]
    for (const [option = '', value = ''] of wrong) {
      const { err, code } = await petstore('www.shop.example', option, value)
      expect([code, err]).toEqual([2, expect.stringContaining(`${option} must be`)])
    }
    expect((await petstore()).code).toBe(2)
  })
})

/** Queries to authoritative servers use port 53, which needs a privilege to listen on. */
async function listenAtPort53(address: string, handle: Handler): Promise<TestServer | undefined> {
  try {
    return await startDnsServer(address, handle, { port: 53 })
  } catch {
    console.error('SKIPPED: tests of `domains check` against DNS servers need to listen on port 53 of 127.0.0.0/8.')
    return undefined
  }
}

// A random loopback address, so that two simultaneous runs do not share one.
const [x = 0, y = 0] = crypto.getRandomValues(new Uint8Array(2))
const address = `127.53.${x}.${y}`
const zones = [
  zone('example', `@ 60 NS ns\nns 60 A ${address}`),
  zone(
    'kiosk.example',
    `@ 60 NS ns\nns 60 A ${address}\n@ 60 A 127.9.9.9\nwww 60 CNAME k7.edge.stores.example.\nold 60 A 45.3.3.3\n@ 60 CAA 0 issue "letsencrypt.org"`,
  ),
  zone('half.example', '@ 60 A 127.9.9.8\n* 60 A 127.9.9.8\n*.edge 60 A 127.9.9.8'),
  zone('stores.example', `@ 60 NS ns.kiosk.example.\n@ 60 A 127.9.9.9\n* 60 A 127.9.9.9\n*.edge 60 A 127.9.9.9`),
]
const server = isBuilt
  ? await listenAtPort53(address, ({ name, type }) => {
      if (name === 'half.example' && type === 'AAAA') return { rcode: 2 }
      const { rcode, ...answer } = answerFrom(zones, name, type)
      return { ...answer, rcode: rcode === 'NXDOMAIN' ? 3 : rcode === 'REFUSED' ? 5 : 0 }
    })
  : undefined
afterAll(() => server?.close())

describe.skipIf(!server)('petstore domains check, against DNS servers', () => {
  let options: string[]
  beforeAll(() => {
    options = ['--dns-resolver', address, '--allow-private-addresses', '--platform-domain', 'stores.example']
  })

  test('exits with 0 if there is no fault, and shows the response of every server', async () => {
    const { out, err, code } = await petstore('www.kiosk.example', ...options, '--caa-identity', 'letsencrypt.org')
    const leftOut = 'petstore: No server with hosting runs here. Whether port 80 leads to it is not checked.\n'
    expect([code, err]).toEqual([0, leftOut])
    expect(out).toContain('Leads here    yes, by its CNAME')
    expect(out).toContain('CAA           the certificate authority may issue')
    expect(out).toContain('A, AAAA of www.kiosk.example\n')
    expect(out).toMatch(
      / {2}ns\.kiosk\.example \(127\.53\.\d+\.\d+\) +NOERROR +60 s +CNAME k7\.edge\.stores\.example\n/,
    )
    expect(out).toMatch(/No faults found \(\d+ queries, \d\.\d s\)\.\n$/)
  })

  test('takes the public addresses from the platform domain', async () => {
    const { out, code } = await petstore('kiosk.example', ...options, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ routing: 'verified', routedBy: 'address', isApex: true, findings: [] })
  })

  test('does not blame an apex while the public addresses cannot be looked up completely', async () => {
    const half = [...options.slice(0, 3), '--platform-domain', 'half.example', '--json']
    const { out, err } = await petstore('kiosk.example', ...half)
    expect(JSON.parse(out)).toMatchObject({ routing: 'not_checked', findings: [] })
    expect(err).toContain('The addresses of half.example are not known')
  })

  test('exits with 1 and names the record to change if one is wrong', async () => {
    const { out, code } = await petstore('old.kiosk.example', ...options)
    expect(code).toBe(1)
    expect(out).toContain('ERROR conflict_a')
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'delete the A records with the name "old" (45.3.3.3), then create a CNAME',
    )
  })

  test('reports wrong records of the platform itself', async () => {
    const more = ['--dns-resolver', address, '--allow-private-addresses', '--platform-domain', 'kiosk.example']
    const { out, code } = await petstore('stores.example', ...more)
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('*.kiosk.example, a record of the platform itself, has no'),
    ])
  })

  test('reports wrong records of --sites-domain', async () => {
    const { out, code } = await petstore('kiosk.example', ...options, '--sites-domain', 'half.example', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out).findings).toMatchObject([{ code: 'record_wrong_value', name: '*.half.example' }])
  })

  test('fetches a page from the public addresses while a server runs', async () => {
    const own = emptyFolder()
    const listeners = [
      '--public-host',
      address,
      '--http-port',
      '80',
      '--https-port',
      'off',
      '--trusted-proxy',
      '10.0.0.1',
    ]
    const served = await startPetstoreProcess([...options, ...listeners, '--public-address', address], {
      cwd: own.path,
    })
    const check = async (...args: string[]) => {
      const { out, err } = await runPetstore(['domains', 'check', 'www.kiosk.example', '--json', ...args], {
        cwd: own.path,
      })
      const { findings } = JSON.parse(out) as { findings: { code: string; message: string }[] }
      return [findings.filter(({ code }) => code.startsWith('http')).map(({ message }) => message), err]
    }
    expect(await check()).toEqual([[], ''])
    const unreachable = 'http://www.kiosk.example cannot be reached at 127.9.9.7 (connection refused).'
    expect(await check('--public-address', '127.9.9.7')).toEqual([[unreachable], ''])
    await served.stop()
    expect(await check()).toEqual([[], expect.stringContaining('Whether port 80 leads to it is not checked.')])
    own.remove()
  })

  test('checks a domain of a project against the records of that project, and any other against those of any project', async () => {
    const own = emptyFolder()
    const run = async (...args: string[]) => await runPetstore(args, { cwd: own.path })
    const served = await startPetstoreProcess([...options, ...proxiedHosting], { cwd: own.path })
    await served.stop()
    mkdirSync(join(own.path, 'site'))
    writeFileSync(join(own.path, 'site/index.html'), 'Shop')
    await run('projects', 'create', 'Shop')
    await run('deploy', 'site', '--project', 'shop')
    const check = async (name: string) => {
      const { out, code } = await run('domains', 'check', name)
      return [code, out.replaceAll(/\s+/g, ' ')] as const
    }
    expect((await check('www.kiosk.example'))[0]).toBe(0)
    expect((await check('old.kiosk.example'))[1]).toContain('it ends in .edge.stores.example')
    const targetOf = async (name: string) => {
      const { out } = await run('domains', 'add', name, '--project', 'shop', '--json')
      return JSON.parse(out).records[0].value
    }
    const target = await targetOf('old.kiosk.example')
    expect(target).toMatch(/^[a-z0-9]+\.edge\.stores\.example$/)
    expect((await check('OLD.kiosk.example.'))[1]).toContain(`the value ${target}`)
    // It leads to the target of another project.
    await targetOf('www.kiosk.example')
    expect(await check('www.kiosk.example')).toEqual([1, expect.stringContaining('ERROR record_wrong_value')])
    own.remove()
  })

  test('works without any option, for any name', async () => {
    const { out, code } = await petstore('www.kiosk.example', ...options.slice(0, 3))
    expect([code, out]).toEqual([0, expect.stringContaining('Leads here    not checked')])
  })
})
