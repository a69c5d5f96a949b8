import { expect, test } from 'bun:test'
import { openDomainStore, ours, targetOf } from '../testing/domain-store.ts'
import { checkClaim } from './check-claim.ts'
import { examine } from './examine.ts'
import type { Platform } from './platform.ts'

const host = 'www.kiosk.example'
const v4 = '192.0.2.10'
const never = new AbortController().signal

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
    expect(await checkClaim(parts, row?.id ?? 0, never, { isRequested: true, close() {} })).toBe('proven')
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
    const probed: string[] = []
    const platform: Platform = {
      ...opened,
      publicAddresses: () => [v4],
      acceptedAddresses: () => [v4, ours.v4],
      probe: async (_, address) => {
        probed.push(address)
        return { address, kind: 'ok', detail: '' }
      },
    }
    const claim = domains.findClaim(domains.claimsOf('kiosk.example')[0]?.id ?? 0)
    const examined = async () => claim && (await examine({ domains, platform }, claim, never, true))?.report
    const wrong = (await examined())?.findings.find(({ code }) => code === 'record_wrong_value')
    expect(wrong?.expected).toEqual([v4])
    store.setRecords('kiosk', `@ 300 A ${ours.v4}`)
    expect((await examined())?.routing).toBe('verified')
    expect(probed).toEqual([v4])
  } finally {
    await store.close()
  }
})
