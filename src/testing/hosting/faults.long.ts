import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { blockedName, caaIdentity, canRunPeers, type HostingWorld, openHostingWorld, statusOf } from './world.ts'

interface Finding {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly fix: string
  readonly observed: readonly { readonly server: string; readonly values: readonly string[] }[]
}

const zone = 'paws.example'

describe.skipIf(!canRunPeers)('a domain of the executable, with Pebble, PowerDNS and unbound,', () => {
  let world: HostingWorld
  beforeAll(async () => {
    world = await openHostingWorld('peers')
  })
  afterAll(() => world?.stop())

  let project: Awaited<ReturnType<HostingWorld['newProject']>>
  beforeEach(async () => {
    project = await world.newProject(`Paws ${crypto.randomUUID().slice(0, 8)}`)
    await world.until(async () => statusOf(await world.https(`${project.slug}.stores.example`)) === 200)
  })

  /** Adds a domain, with these records in its zone, and verifies it. */
  async function verify(name: string, ...records: readonly string[]) {
    await world.names.change(zone, records)
    expect((await world.add(project.id, name)).status).toBe(201)
    return (await world.verify(project.id, name)).json
  }
  const findingsOf = (domain: { readonly findings: readonly Finding[] }) =>
    domain.findings.map(({ code, severity }) => `${severity} ${code}`)

  /** Corrects the records, verifies, and waits until the page is there; removes the domain. */
  async function expectRecovery(name: string): Promise<void> {
    await world.names.change(zone, [`${name}. 1 CNAME ${project.cnameTarget}.`])
    await world.verify(project.id, name)
    expect((await world.reach(project.id, name, 'active')).findings).toEqual([])
    await world.until(async () => statusOf(await world.https(name)) === 200)
    await world.remove(project.id, name)
  }

  test('with a wrong CNAME shows the wrong and the right value, and works once it is corrected', async () => {
    const name = 'wrong.paws.example'
    const domain = await verify(name, 'wrong 1 CNAME other.stores.example.')
    expect([domain.state, findingsOf(domain)]).toEqual(['dns_error', ['error record_wrong_value']])
    const [{ message, fix, observed }] = domain.findings as [Finding]
    expect(message).toContain('other.stores.example')
    expect(fix).toContain(project.cnameTarget)
    expect(observed[0]?.server).toContain(`ns1.${zone}`)
    expect(observed[0]?.values.join()).toContain('other.stores.example')
    expect(statusOf(await world.http(name))).toBe(421)
    await expectRecovery(name)
  })

  test('with an A record instead of the CNAME says that it has to be removed', async () => {
    const name = 'conflict.paws.example'
    const domain = await verify(name, 'conflict 1 A 127.0.0.9')
    expect([domain.state, findingsOf(domain)]).toEqual(['dns_error', ['error conflict_a']])
    const [{ message, fix }] = domain.findings as [Finding]
    expect(message).toContain('127.0.0.9')
    expect(fix).toContain(project.cnameTarget)
    await expectRecovery(name)
  })

  test('whose CAA records forbid the authority gets an order as soon as they allow it', async () => {
    const name = 'caa.paws.example'
    const cname = `caa 1 CNAME ${project.cnameTarget}.`
    const domain = await verify(name, cname, '@ 1 CAA 0 issue "other.example"')
    expect([domain.dns.status, findingsOf(domain)]).toEqual(['verified', ['error caa_forbids']])
    expect((domain.findings as [Finding])[0].fix).toContain(caaIdentity)
    const failed = await world.reach(project.id, name, 'cert_error')
    expect(failed.certificate).toMatchObject({ status: 'failed', error: expect.stringContaining('other.example') })
    await expectRecovery(name)
  })

  test('that the authority rejects shows the message of the authority', async () => {
    const domain = await verify(blockedName, `www 1 CNAME ${project.cnameTarget}.`)
    expect(domain.dns.status).toBe('verified')
    const failed = await world.reach(project.id, blockedName, 'cert_error')
    expect(findingsOf(failed)).toEqual(['error ca_refused'])
    expect(failed.certificate).toMatchObject({ status: 'failed', error: expect.stringContaining(blockedName) })
    expect(failed.certificate.nextAttemptAt).not.toBeNull()
    const listed = JSON.parse((await world.run('domains', 'list', '--json')).out)
    expect(listed.find(({ hostname }: { hostname: string }) => hostname === blockedName)).toEqual(failed)
    const verified = await run('domains', 'verify', blockedName)
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('ERROR ca_refused')])
    expect(verified.out).toContain(blockedName)
    const events = await world.call('GET', `/v1/projects/${project.id}/domains/${blockedName}/events`)
    expect(events.json.map(({ type }: { type: string }) => type)).toContain('certificate')
    await world.remove(project.id, blockedName)
  })

  /** The output of a command as one line: it is wrapped for the terminal. */
  async function run(...command: readonly string[]) {
    const { out, code } = await world.run(...command)
    return { code, out: out.replaceAll(/\s+/g, ' ') }
  }

  test('gets its order at once from `domains verify` as from the API', async () => {
    const name = 'command.paws.example'
    const cname = `command 1 CNAME ${project.cnameTarget}.`
    await verify(name, cname, '@ 1 CAA 0 issue "other.example"')
    await world.reach(project.id, name, 'cert_error')
    const verified = await run('domains', 'verify', name)
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('ERROR caa_forbids')])
    await world.names.change(zone, [cname])
    const right = await run('domains', 'verify', name)
    expect([right.code, right.out]).toEqual([0, expect.stringContaining('verified')])
    await world.reach(project.id, name, 'active')
    await world.remove(project.id, name)
  })

  test('whose CAA records name another account says so in each command', async () => {
    const name = 'account.paws.example'
    const cname = `account 1 CNAME ${project.cnameTarget}.`
    const domain = await verify(name, cname, `@ 1 CAA 0 issue "${caaIdentity}; accounturi=https://ca.example/1"`)
    expect(findingsOf(domain)).toEqual(['error caa_forbids'])
    const verified = await run('domains', 'verify', name)
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('for another account only')])
    const [listed] = (await world.domain(project.id, name)).findings
    expect(listed).toMatchObject({ code: 'caa_forbids' })
    const checked = await run('domains', 'check', name)
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining('for another account only')])
    expect(checked.out).toContain('CAA the certificate authority may not issue')
    await world.remove(project.id, name)
  })

  test('with a dead name server shows which one, and works through the others', async () => {
    const name = 'dead.paws.example'
    const dead = ['@ 1 NS ns2.paws.example.', 'ns2 1 A 127.0.0.253']
    const domain = await verify(name, `dead 1 CNAME ${project.cnameTarget}.`, ...dead)
    expect(findingsOf(domain)).toEqual(['warning dns_timeout'])
    expect((domain.findings as [Finding])[0].message).toContain('ns2.paws.example')
    await world.reach(project.id, name, 'active')
    await world.until(async () => statusOf(await world.https(name)) === 200)
    await world.remove(project.id, name)
  })
})
