import { afterEach, describe, expect, test } from 'bun:test'
import { checkPlatform, resolveAddresses } from './platform.ts'
import type { TestQuery } from './testing/dns-server.ts'
import { createShopWorld, ours } from './testing/shop.ts'
import { shortLimits, type World } from './testing/world.ts'

let world: World | undefined
afterEach(() => world?.close())

describe('the platform’s own records', () => {
  test('have no finding if every name leads to the public addresses', async () => {
    world = await createShopWorld('')
    expect(await resolveAddresses('stores.example', world.options)).toEqual([ours.v4])
    expect(await checkPlatform('stores.example', [ours.v4, ours.v6], world.options)).toEqual([])
  })

  test('have a finding if they are missing or lead elsewhere', async () => {
    world = await createShopWorld('@ 60 A 45.3.3.3\n*.edge 60 A 45.4.4.4')
    expect(await checkPlatform('kiosk.example', ['45.3.3.3'], world.options)).toMatchObject([
      { code: 'record_missing', severity: 'error', name: '*.kiosk.example', expected: ['45.3.3.3'] },
      { code: 'record_wrong_value', name: '*.edge.kiosk.example', observed: [{ values: ['45.4.4.4'] }] },
    ])
  })

  test('have no finding if no resolver responds', async () => {
    world = await createShopWorld('', { resolve: () => 'silence', limits: shortLimits })
    expect(await resolveAddresses('stores.example', world.options)).toEqual([])
    expect(await checkPlatform('stores.example', [ours.v4], world.options)).toEqual([])
  })

  test('are not reported as missing if one type cannot be looked up, but an address that was seen may be wrong', async () => {
    const resolve = ({ type }: TestQuery) => (type === 'A' ? { rcode: 2 } : undefined)
    world = await createShopWorld('', { resolve })
    expect(await checkPlatform('stores.example', [ours.v4, ours.v6], world.options)).toEqual([])
    expect(await checkPlatform('stores.example', [ours.v4], world.options)).toMatchObject([
      { code: 'record_wrong_value', name: '*.edge.stores.example', observed: [{ values: [ours.v6] }] },
    ])
  })

  test('do not have wrong values while the public addresses are not known', async () => {
    world = await createShopWorld('')
    expect(await checkPlatform('stores.example', [], world.options)).toEqual([])
  })
})
