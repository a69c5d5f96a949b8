/** Attempts to get a hostname that belongs to others, or to keep others from theirs. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { testStart } from '../../testing/harness.ts'
import type { CertificateStatus } from '../projects/view.ts'
import { noCertificate } from './state.ts'
import {
  type DomainStoreOptions,
  type DomainTestStore,
  openDomainStore,
  ours,
  targetOf,
} from './testing/domain-store.ts'

const www = 'www.kiosk.example'
const apex = 'kiosk.example'
const dayMs = 86_400_000

let store: DomainTestStore
let owner: { key: string; accountId: number; project: number }
let attacker: typeof owner

async function newAccount() {
  const { key, accountId } = await store.newKey({ plan: 'pro' })
  return { key, accountId, project: await store.newProject(key) }
}
async function open(options: DomainStoreOptions = {}) {
  store = await openDomainStore(options)
  owner = await newAccount()
  attacker = await newAccount()
}
beforeEach(() => open())
afterEach(() => store.close())

const add = (who: typeof owner, hostname: string, more = {}) => store.add(who.project, hostname, more, who.key)
const verify = async (who: typeof owner, hostname: string) => (await store.verify(who.project, hostname, who.key)).json
const get = async (who: typeof owner, hostname: string) => (await store.get(who.project, hostname, who.key)).json
const servedBy = (hostname: string) => store.app.domainHosting.routes.find(hostname)?.projectId
const codes = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code)
const tokenOf = ({ records }: { records: { type: string; value: string }[] }) =>
  records.find(({ type }) => type === 'TXT')?.value
const txt = (token: string | undefined, name = '_petstore-verify') => `${name} 300 TXT "${token}"`

describe('an apex that is claimed before its owner points it here', () => {
  test('is never verified for the attacker, whatever addresses the owner sets, and is for the owner', async () => {
    const claimed = await add(attacker, apex)
    expect(claimed.status).toBe(201)
    const addresses = `@ 300 A ${ours.v4}`
    store.setRecords('kiosk', addresses)
    const tried = await verify(attacker, apex)
    expect([tried.state, codes(tried), servedBy(apex)]).toEqual(['pending_ownership', ['txt_missing'], undefined])
    const { status, json } = await add(owner, apex)
    expect(status).toBe(201)
    expect(tokenOf(json)).not.toBe(tokenOf(claimed.json))
    store.setRecords('kiosk', `${addresses}\n${txt(tokenOf(json))}`)
    expect(codes(await verify(attacker, apex))).toEqual(['txt_wrong_value'])
    expect((await verify(owner, apex)).dns.status).toBe('verified')
    expect(servedBy(apex)).toBe(owner.project)
    expect((await store.get(attacker.project, apex, attacker.key)).json.state).not.toBe('active')
  })

  test('does not keep the owner from adding it, even with 50 unverified claims of others', async () => {
    for (let i = 0; i < 5; i++) await add(await newAccount(), apex)
    expect((await add(owner, apex)).status).toBe(201)
  })
})

describe('a record that was left behind', () => {
  test('by a deleted project leads to no other project, and a new project has another target', async () => {
    const { json } = await add(owner, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    await verify(owner, www)
    await store.call('DELETE', `/v1/projects/${owner.project}`, { key: owner.key })
    expect(servedBy(www)).toBeUndefined()
    const claimed = await add(attacker, www)
    expect(claimed.status).toBe(201)
    expect(codes(await verify(attacker, www))).toContain('record_wrong_value')
    const again = { ...owner, project: await store.newProject(owner.key) }
    expect(targetOf((await add(again, www)).json)).not.toBe(targetOf(json))
    expect((await verify(again, www)).dns.status).toBe('failed')
    expect(servedBy(www)).toBeUndefined()
  })

  test('by a removed domain, with addresses, proves nothing to another account', async () => {
    const { json } = await add(owner, apex)
    store.setRecords('kiosk', `@ 300 A ${ours.v4}\n${txt(tokenOf(json))}`)
    await verify(owner, apex)
    await store.remove(owner.project, apex, owner.key)
    await add(attacker, apex)
    expect((await verify(attacker, apex)).state).toBe('pending_ownership')
    expect(servedBy(apex)).toBeUndefined()
  })

  test('a CNAME that leads to the slug of a project, or directly to the platform, proves nothing', async () => {
    const project = (await store.call('GET', `/v1/projects/${owner.project}`, { key: owner.key })).json
    await add(owner, www)
    for (const target of [
      `${project.slug}.stores.example`,
      'stores.example',
      'edge.stores.example',
      'x.edge.stores.example',
    ]) {
      store.setRecords('kiosk', `www 300 CNAME ${target}.`)
      expect([target, (await verify(owner, www)).dns.status]).toEqual([target, 'failed'])
    }
  })
})

describe('a sold domain', () => {
  test('moves to the new owner with the first full proof, for which a TXT record is needed as well', async () => {
    await store.close()
    const valid: CertificateStatus = { ...noCertificate, status: 'active', expiresAt: testStart + dayMs }
    await open({ config: { certificateOf: (_, id) => (id === owner.accountId ? valid : noCertificate) } })
    const first = await add(owner, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(first.json)}.`)
    expect((await verify(owner, www)).state).toBe('active')
    expect((await add(attacker, www)).json).toEqual({
      code: 'domain_taken',
      message: `${www} is used by another project, and its records lead there or could not be checked. Remove it there, or change its records first.`,
      status: 409,
    })
    const buyer = attacker
    store.setRecords('kiosk', '')
    const claimed = await add(buyer, www)
    expect(claimed.status).toBe(201)
    expect(claimed.json.records.map(({ type }: { type: string }) => type)).toEqual(['CNAME', 'TXT'])
    // The former owner is served until the buyer has a full proof.
    expect([servedBy(www), (await get(owner, www)).dns.status]).toEqual([owner.project, 'drifted'])
    const cname = `www 300 CNAME ${targetOf(claimed.json)}.`
    store.setRecords('kiosk', cname)
    expect((await verify(buyer, www)).state).toBe('pending_ownership')
    expect(servedBy(www)).toBe(owner.project)
    store.setRecords('kiosk', `${cname}\n${txt(tokenOf(claimed.json), '_petstore-verify.www')}`)
    expect(await verify(buyer, www)).toMatchObject({ state: 'issuing', certificate: { status: 'queued' } })
    expect(store.app.domainHosting.routes.find(www)).toMatchObject({ projectId: buyer.project, hasCertificate: false })
    const former = await get(owner, www)
    expect(former.dns.status).toBe('failed')
    expect((await store.events(owner.project, www, owner.key))[0]).toBe('name_lost')
    const { json } = await store.call('GET', '/v1/audit')
    expect(json.slice(0, 2)).toMatchObject([
      { action: 'domain.verified', actor: 'system', accountId: buyer.accountId, details: { hostname: www } },
      { action: 'domain.lost', actor: 'system', accountId: owner.accountId, details: { hostname: www } },
    ])
  })

  test('does not return to its former owner without the TXT record, even with the old CNAME', async () => {
    const first = await add(owner, www)
    const oldCname = `www 300 CNAME ${targetOf(first.json)}.`
    store.setRecords('kiosk', oldCname)
    await verify(owner, www)
    store.setRecords('kiosk', '')
    const claimed = await add(attacker, www)
    store.setRecords(
      'kiosk',
      `www 300 CNAME ${targetOf(claimed.json)}.\n${txt(tokenOf(claimed.json), '_petstore-verify.www')}`,
    )
    await verify(attacker, www)
    expect(servedBy(www)).toBe(attacker.project)
    store.setRecords('kiosk', oldCname)
    expect((await verify(owner, www)).state).toBe('pending_ownership')
    expect(servedBy(www)).toBe(attacker.project)
  })
})

describe('a name that another project holds', () => {
  beforeEach(async () => {
    const { json } = await add(owner, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    await verify(owner, www)
  })

  test('is kept by its holder while its servers do not respond', async () => {
    store.setSilence(true)
    const { json } = await add(attacker, www)
    expect(json).toMatchObject({ code: 'domain_taken', message: expect.stringContaining('could not be checked') })
    expect((await get(owner, www)).dns.status).toBe('verified')
    expect(servedBy(www)).toBe(owner.project)
  })

  test('is checked at once at a conflicting request, within the limit of the account that sends it', async () => {
    const results: string[] = []
    for (let i = 0; i < 11; i++) results.push((await add(attacker, www)).json.code)
    expect(results).toEqual([...Array.from({ length: 10 }, () => 'domain_taken'), 'rate_limit_exceeded'])
    // The checks do not count for the holder.
    expect((await verify(owner, www)).dns.status).toBe('verified')
  })

  test('is rejected also for another project of the same account, and within one transaction with its www', async () => {
    const second = { ...owner, project: await store.newProject(owner.key) }
    const { name } = (await store.call('GET', `/v1/projects/${owner.project}`, { key: owner.key })).json
    const { json } = await add(second, www)
    expect(json).toMatchObject({ code: 'domain_taken', message: expect.stringContaining(`The project “${name}”`) })
    expect((await add(attacker, www)).text).not.toContain(name)
    expect((await add(second, apex, { withWww: true })).json.code).toBe('domain_taken')
    expect((await store.list(second.project, owner.key)).json).toEqual([])
  })

  test('stays with its holder if a claim from before is proven while the holder is proven too', async () => {
    // Both accounts have a TXT record, and the apex has addresses: both are proven.
    const first = await add(owner, apex)
    const second = await add(attacker, apex)
    store.setRecords('kiosk', `@ 300 A ${ours.v4}\n${txt(tokenOf(first.json))}\n${txt(tokenOf(second.json))}`)
    expect((await verify(owner, apex)).dns.status).toBe('verified')
    const { json } = await store.verify(attacker.project, apex, attacker.key)
    expect(json).toMatchObject({ code: 'domain_taken', status: 409 })
    expect(servedBy(apex)).toBe(owner.project)
    // The response is rejected, and the result of its check is stored once.
    const kept = await get(attacker, apex)
    expect([kept.state, codes(kept)]).toEqual(['dns_error', ['name_taken']])
    expect(await store.events(attacker.project, apex, attacker.key)).toEqual(['name_taken', 'added'])
  })
})

test('two accounts that prove a name at the same moment get one holder', async () => {
  const accounts = [owner, attacker, await newAccount(), await newAccount()]
  const tokens = []
  for (const account of accounts) tokens.push(tokenOf((await add(account, apex)).json))
  store.setRecords('kiosk', [`@ 300 A ${ours.v4}`, ...tokens.map((token) => txt(token))].join('\n'))
  const responses = await Promise.all(accounts.map(({ project, key }) => store.verify(project, apex, key)))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  const winner = responses.findIndex(({ status }) => status === 200)
  expect(servedBy(apex)).toBe(accounts[winner]?.project)
  const states = await Promise.all(accounts.map(async (account) => (await get(account, apex)).dns.status))
  expect(states.filter((status) => status === 'verified')).toHaveLength(1)
})

test('names of the platform, and of its API, cannot be claimed in any spelling', async () => {
  const names = [
    'api.stores.example',
    'API.Stores.Example.',
    'stores.example',
    'x.api.stores.example',
    'ａｐｉ.stores.example',
    'edge.stores.example',
    'paws.stores.example',
  ]
  for (const name of names) {
    const { status, json } = await add(attacker, name)
    expect([name, status, json.code]).toEqual([name, 400, 'invalid_body'])
  }
  expect(servedBy('api.stores.example')).toBeUndefined()
})

test('a slug that was given up, and the names of its project, serve nobody else', async () => {
  const { json } = await add(owner, www)
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  await verify(owner, www)
  const { slug } = (await store.call('GET', `/v1/projects/${owner.project}`, { key: owner.key })).json
  await store.call('DELETE', `/v1/projects/${owner.project}`, { key: owner.key })
  const theirs = await store.call('POST', '/v1/projects', { key: attacker.key, body: { name: slug } })
  expect(theirs.json.slug).not.toBe(slug)
  await store.deploy(theirs.json.id, attacker.key)
  const claimed = await store.add(theirs.json.id, www, {}, attacker.key)
  expect(claimed.status).toBe(201)
  expect((await store.verify(theirs.json.id, www, attacker.key)).json.dns.status).toBe('failed')
})

describe('a forged DNS response', () => {
  test('of a recursive resolver does not verify a claim', async () => {
    let target = ''
    await store.close()
    await open({
      resolve: ({ name, type }) =>
        name === www && type !== 'NS' && target !== ''
          ? { flags: 1 << 7, answers: [{ name, type: 'CNAME', ttl: 300, data: target }] }
          : undefined,
    })
    store.setRecords('kiosk', 'www 300 A 198.51.100.20')
    target = targetOf((await add(attacker, www)).json)
    const { dns, findings } = await verify(attacker, www)
    expect([dns.status, codes({ findings })[0], servedBy(www)]).toEqual(['failed', 'conflict_a', undefined])
  })

  test('of a resolver does not take down a domain that works', async () => {
    let isForging = false
    await store.close()
    await open({
      resolve: ({ name, type }) =>
        isForging && name === www && type === 'A'
          ? { flags: 1 << 7, answers: [{ name, type: 'A', ttl: 300, data: '198.51.100.66' }] }
          : undefined,
    })
    const { json } = await add(owner, www)
    store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
    await verify(owner, www)
    isForging = true
    expect((await verify(owner, www)).dns.status).toBe('verified')
    expect((await add(attacker, www)).json.code).toBe('domain_taken')
  })
})

test('removing a domain ends its service at once, and notifies its subscribers, who close open connections', async () => {
  const { json } = await add(owner, www)
  store.setRecords('kiosk', `www 300 CNAME ${targetOf(json)}.`)
  await verify(owner, www)
  const { routes } = store.app.domainHosting
  const removed: string[] = []
  routes.onRemoved((hostname) => removed.push(hostname))
  expect((await store.remove(owner.project, www, owner.key)).status).toBe(204)
  expect([routes.find(www), routes.wantedCertificates(), removed]).toEqual([undefined, [], [www]])
  store.clock.skip(2 * dayMs)
  await store.settled()
  expect(routes.find(www)).toBeUndefined()
})
