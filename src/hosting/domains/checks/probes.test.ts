import { expect, test } from 'bun:test'
import type { ProbeResult } from '../../../dns/http-probe.ts'
import { createManualClock } from '../../../lib/clock.ts'
import { openDomainStore, ours, targetOf } from '../testing/domain-store.ts'
import { examine } from './examine.ts'
import type { Platform } from './platform.ts'
import { createAddressProbe } from './probes.ts'
import { checkClaim } from './verify.ts'

const host = 'www.kiosk.example'
const [v4, v6] = ['192.0.2.10', '2001:db8::10']
const never = new AbortController().signal

/** A probe whose outcome the test gives, for each request. */
function create() {
  const clock = createManualClock(0)
  const sent: { address: string; respond: (kind: ProbeResult['kind'], detail?: string) => Promise<void> }[] = []
  const probe = createAddressProbe((_, address) => {
    const { promise, resolve } = Promise.withResolvers<ProbeResult>()
    const respond = async (kind: ProbeResult['kind'], detail = '') => {
      resolve({ address, kind, detail })
      await Bun.sleep(0)
    }
    sent.push({ address, respond })
    return promise
  }, clock)
  const start = async (isFresh = false, addresses = [v4]) =>
    (await probe(host, addresses, never, isFresh)).map(({ code, severity }) => `${severity} ${code}`)
  return { clock, sent, start }
}

const isWaiting = async (probing: Promise<unknown>) => (await Promise.race([probing, Bun.sleep(5)])) === undefined

test('another server and an address that cannot be reached are warnings, the service itself is no finding', async () => {
  const { sent, start } = create()
  const probing = start(false, [v4, v6])
  expect(sent.map(({ address }) => address)).toEqual([v4, v6])
  await sent[0]?.respond('other', 'nginx')
  await sent[1]?.respond('unreachable', 'connection refused')
  expect(await probing).toEqual(['warning wrong_server', 'warning http_unreachable'])
  const again = start()
  await sent[2]?.respond('ok')
  expect(await again).toEqual([])
})

test('a check waits for the first probe of an address that does not respond, and later ones use its outcome for ten minutes', async () => {
  const { clock, sent, start } = create()
  const first = start()
  expect(await isWaiting(first)).toBe(true)
  await sent[0]?.respond('unreachable', 'no response in time')
  expect(await first).toEqual(['warning http_unreachable'])
  const second = start()
  expect(await isWaiting(second)).toBe(true)
  clock.advance(300)
  expect(await second).toEqual(['warning http_unreachable'])
  clock.advance(10 * 60_000)
  const later = start()
  clock.advance(300)
  expect(await isWaiting(later)).toBe(true)
})

test('an address that responds again counts at once, and an outcome that came too late for its check counts for the next one', async () => {
  const { clock, sent, start } = create()
  const first = start()
  await sent[0]?.respond('unreachable')
  await first
  const opened = start()
  await sent[1]?.respond('ok')
  expect(await opened).toEqual([])
  const closed = start()
  await sent[2]?.respond('unreachable')
  await closed
  const late = start()
  clock.advance(300)
  expect(await late).toEqual(['warning http_unreachable'])
  await sent[3]?.respond('ok')
  const next = start()
  await sent[4]?.respond('other')
  expect(await next).toEqual(['warning wrong_server'])
})

test('before an order nothing that is remembered counts', async () => {
  const { clock, sent, start } = create()
  const first = start()
  await sent[0]?.respond('unreachable')
  await first
  const fresh = start(true)
  clock.advance(300)
  expect(await isWaiting(fresh)).toBe(true)
  await sent[1]?.respond('ok')
  expect(await fresh).toEqual([])
})

test('a command, which cannot probe, keeps what the last probe found', async () => {
  const probe = async (_: string, address: string) => ({ address, kind: 'unreachable' as const, detail: 'refused' })
  const world = await openDomainStore()
  const store = await openDomainStore({ config: { dns: { ...world.config.dns, probe } } })
  try {
    const project = await store.newProject()
    const added = await store.add(project, host)
    world.setRecords('kiosk', `www 300 CNAME ${targetOf(added.json)}.`)
    const codes = async () => (await store.get(project, host)).json.findings.map(({ code }: { code: string }) => code)
    expect((await store.verify(project, host)).json.dns.status).toBe('verified')
    expect(await codes()).toContain('http_unreachable')
    const before = await codes()
    const { domainHosting, ...app } = store.app
    const platform = domainHosting.platform && { ...domainHosting.platform, probe: undefined }
    const write = <T>(work: () => T) => store.app.writer.write(work)
    const parts = { ...app, platform: platform as Platform, write }
    const [row] = store.app.domains.claimsOf(host)
    expect(await checkClaim(parts, row?.id ?? 0, never, () => true)).toBe('proven')
    expect(await codes()).toEqual(before)
  } finally {
    await store.close()
    await world.close()
  }
})

test('a replaced address is accepted, but neither probed nor asked for', async () => {
  const store = await openDomainStore()
  try {
    const project = await store.newProject()
    await store.add(project, 'kiosk.example')
    store.setRecords('kiosk', '@ 300 A 45.3.3.3')
    const { domainHosting, domains } = store.app
    const opened = domainHosting.platform as Platform
    const probed: (readonly string[])[] = []
    const platform: Platform = {
      ...opened,
      publicAddresses: () => [v4],
      acceptedAddresses: () => [v4, ours.v4],
      probe: async (_, addresses) => {
        probed.push(addresses)
        return []
      },
    }
    const claim = domains.findClaim(domains.claimsOf('kiosk.example')[0]?.id ?? 0)
    const examined = async () => claim && (await examine({ domains, platform }, claim, never, true))?.report
    const wrong = (await examined())?.findings.find(({ code }) => code === 'record_wrong_value')
    expect(wrong?.expected).toEqual([v4])
    store.setRecords('kiosk', `@ 300 A ${ours.v4}`)
    expect((await examined())?.routing).toBe('verified')
    expect(probed).toEqual([[v4]])
  } finally {
    await store.close()
  }
})
