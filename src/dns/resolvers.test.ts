import { afterEach, describe, expect, test } from 'bun:test'
import { checkPlatform, parseEndpoint, resolveAddresses, systemResolvers } from './resolvers.ts'
import { createShopWorld, ours } from './testing/shop.ts'
import { shortLimits, type World } from './testing/world.ts'

let world: World | undefined
afterEach(() => world?.close())

describe('a resolver', () => {
  test('is an address with or without a port', () => {
    expect(parseEndpoint('1.1.1.1')).toEqual({ address: '1.1.1.1', port: 53 })
    expect(parseEndpoint('127.0.0.1:5353')).toEqual({ address: '127.0.0.1', port: 5353 })
    expect(parseEndpoint('2606:4700::1111')).toEqual({ address: '2606:4700::1111', port: 53 })
    expect(parseEndpoint('[::1]:5353')).toEqual({ address: '::1', port: 5353 })
    expect(parseEndpoint('[::1]')).toEqual({ address: '::1', port: 53 })
  })

  test('is nothing else', () => {
    for (const text of [
      '',
      'dns.example',
      '1.1.1',
      '1.1.1.1:',
      '1.1.1.1:0',
      '1.1.1.1:65536',
      '[1.1.1.1',
      '::1]:53',
      '1.1.1.1:x',
    ]) {
      expect([text, parseEndpoint(text)]).toEqual([text, undefined])
    }
  })

  test('of the system has an address and a port', () => {
    for (const { address, port } of systemResolvers()) expect([address.length > 2, port > 0]).toEqual([true, true])
  })
})

describe('the platform’s own records', () => {
  test('are right where every name leads to the public addresses', async () => {
    world = await createShopWorld('')
    expect(await resolveAddresses('stores.example', world.options)).toEqual([ours.v4])
    expect(await checkPlatform('stores.example', [ours.v4, ours.v6], world.options)).toEqual([])
  })

  test('are named where they are missing or lead elsewhere', async () => {
    world = await createShopWorld('@ 60 A 45.3.3.3\n*.edge 60 A 45.4.4.4')
    expect(await checkPlatform('kiosk.example', ['45.3.3.3'], world.options)).toMatchObject([
      { code: 'record_missing', severity: 'error', name: '*.kiosk.example', expected: ['45.3.3.3'] },
      { code: 'record_wrong_value', name: '*.edge.kiosk.example', observed: [{ values: ['45.4.4.4'] }] },
    ])
  })

  test('are not judged where no resolver answers', async () => {
    world = await createShopWorld('', { resolve: () => 'silence', limits: shortLimits })
    expect(await resolveAddresses('stores.example', world.options)).toEqual([])
    expect(await checkPlatform('stores.example', [ours.v4], world.options)).toEqual([])
  })
})
