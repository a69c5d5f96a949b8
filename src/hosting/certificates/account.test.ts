import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Finding } from '../../dns/report.ts'
import type { OrderCheck } from './attempt.ts'
import { openWorld, type World } from './testing/world.ts'

const name = 'www.shop.example'
const minute = 60_000

const wrongServer: Finding = {
  code: 'wrong_server',
  severity: 'warning',
  name,
  type: null,
  expected: [],
  observed: [],
  message: 'Another server responded.',
  fix: 'Forward port 80.',
  expiresAt: null,
}

let world: World

beforeEach(async () => {
  world = await openWorld()
  world.want(name)
})
afterEach(() => world.close())

const status = () => world.certificates.certificateOf(name)

describe('an account', () => {
  test('is bound to the external account, and says which options are missing without one', async () => {
    world.ca.settings.eab = { kid: 'kid-1', key: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' }
    await world.order()
    expect(status().error).toContain('--acme-eab-kid')
    expect(world.certificates.findingsOf(name)[0]?.code).toBe('ca_refused')
    const { eab } = world.ca.settings
    await world.close()
    world = await openWorld({ acmeEab: eab })
    world.ca.settings.eab = eab
    world.want(name)
    await world.order()
    expect(status().status).toBe('active')
    expect(world.logged.join('')).not.toContain(eab.key)
  })

  test('that the authority rejects is not taken for a fault of the names, costs one request, and is tried again after a restart', async () => {
    const eab = { kid: 'kid-1', key: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' }
    world.ca.settings.eab = eab
    const check: OrderCheck = { verdict: 'allowed', warnings: [wrongServer] }
    const options = { checkBeforeOrder: async () => check }
    await world.restart({ ...options, acmeEab: { ...eab, kid: 'kid-2' } })
    for (let count = 0; count < 8; count++) world.want(`shop-${count}.example`)
    for (const minutes of [1, 10, 100, 5]) {
      await world.order()
      world.clock.skip(minutes * minute)
    }
    expect(world.ca.count('newAccount')).toBe(4)
    const [finding] = world.certificates.findingsOf(name)
    expect(finding?.code).toBe('ca_refused')
    expect(finding?.message).toContain('rejected the account of this service')
    expect(finding?.message).toContain('The external account binding is wrong.')
    expect(finding?.fix).toStartWith('Nothing is wrong with the domain. The operator of this service')
    expect(finding?.fix).toContain('--acme-eab-kid')
    await world.restart({ ...options, acmeEab: eab })
    await world.order()
    expect(status().status).toBe('active')
    expect(world.certificates.certificateOf('shop-7.example').status).toBe('active')
  })

  test('that was deactivated is replaced by one with another key, once for all names', async () => {
    await world.order()
    for (const account of world.ca.accounts.values()) account.isDeactivated = true
    world.want('shop.example')
    world.want('cats.example')
    await world.order()
    expect(world.certificates.certificateOf('shop.example').status).toBe('active')
    expect(world.certificates.certificateOf('cats.example').status).toBe('active')
    expect(world.ca.accounts.size).toBe(2)
    for (const account of world.ca.accounts.values()) account.isDeactivated = true
    world.want('dogs.example')
    await world.restart({ acmeEmail: 'owner@shop.example' })
    await world.order()
    expect(world.certificates.certificateOf('dogs.example').status).toBe('active')
    expect(world.ca.accounts.size).toBe(3)
  })

  test('that may not order, but is valid, is kept', async () => {
    await world.order()
    world.want('shop.example')
    world.ca.inject('newOrder', { type: 'unauthorized', detail: 'Your plan has no more certificates.', status: 403 })
    await world.order()
    expect(world.certificates.findingsOf('shop.example')[0]?.message).toContain('no more certificates')
    expect(world.certificates.findingsOf('shop.example')[0]?.fix).not.toContain('web server')
    expect(world.ca.accounts.size).toBe(1)
  })

  test('that the authority has forgotten is registered again with the same key, and the order made anew', async () => {
    await world.order()
    const [first] = [...world.ca.accounts.keys()]
    world.ca.accounts.clear()
    world.want('shop.example')
    await world.order()
    expect([...world.ca.accounts.keys()]).toEqual([first as string])
    expect(world.certificates.certificateOf('shop.example').status).toBe('active')
  })

  test('has the present e-mail address, in ASCII', async () => {
    await world.order()
    expect([...world.ca.accounts.values()][0]?.contact).toBeUndefined()
    await world.restart({ acmeEmail: 'owner@bücher.example' })
    world.want('shop.example')
    await world.order()
    expect([...world.ca.accounts.values()][0]?.contact).toEqual(['mailto:owner@xn--bcher-kva.example'])
    expect(world.ca.accounts.size).toBe(1)
  })
})
