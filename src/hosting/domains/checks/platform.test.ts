import { expect, test } from 'bun:test'
import type { TestQuery } from '../../../dns/testing/dns-server.ts'
import { createWorld } from '../../../dns/testing/world.ts'
import { zone } from '../../../dns/testing/zone.ts'
import { createManualClock } from '../../../lib/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { createPublicAddresses } from './platform.ts'

const signal = new AbortController().signal

test('the addresses of the platform domain are resolved every five minutes; a replaced one is accepted for an hour', async () => {
  const zones = [zone('stores.example', '@ 60 A 45.9.9.9\n@ 60 AAAA 2a01:4f8::9')]
  const world = await createWorld([{ address: '45.1.0.4', zones }])
  const clock = createManualClock(0)
  const hosting = { platformDomain: 'stores.example', publicAddresses: [] }
  const addresses = createPublicAddresses({ hosting, clock, log: silentLog, checkOptions: () => world.options })
  const [job] = addresses.jobs
  const run = () => job?.run(signal)
  expect([addresses.current(), addresses.accepted()]).toEqual([[], []])
  await run()
  expect(addresses.current()).toEqual(['2a01:4f8::9', '45.9.9.9'])

  zones.splice(0, 1, zone('stores.example', '@ 60 A 45.9.9.10'))
  clock.skip(299_000)
  await run()
  expect(addresses.current()).toContain('45.9.9.9')
  clock.skip(1_000)
  await run()
  expect(addresses.current()).toEqual(['45.9.9.10'])
  expect(addresses.accepted()).toEqual(['45.9.9.10', '2a01:4f8::9', '45.9.9.9'])
  clock.setWall(Date.UTC(2030, 0))
  clock.skip(3_599_999)
  expect(addresses.accepted()).toContain('45.9.9.9')

  // Resolvers that fail do not change the addresses.
  zones.splice(0, 1)
  await run()
  expect(addresses.current()).toEqual(['45.9.9.10'])
  clock.skip(1)
  expect(addresses.accepted()).toEqual(['45.9.9.10'])
  world.close()
})

test('a type that cannot be looked up keeps its addresses, and at the start leaves all unknown', async () => {
  const zones = [zone('stores.example', '@ 60 A 45.9.9.9\n@ 60 AAAA 2a01:4f8::9')]
  let failing: string | undefined = 'A'
  const resolve = ({ type }: TestQuery) => (type === failing ? { rcode: 2 } : undefined)
  const world = await createWorld([{ address: '45.1.0.4', zones }], { resolve })
  const clock = createManualClock(0)
  const hosting = { platformDomain: 'stores.example', publicAddresses: [] }
  const addresses = createPublicAddresses({ hosting, clock, log: silentLog, checkOptions: () => world.options })
  const resolved = async () => {
    await addresses.jobs[0]?.run(signal)
    clock.skip(300_000)
    return addresses.current()
  }
  expect(await resolved()).toEqual([])
  failing = undefined
  expect(await resolved()).toEqual(['2a01:4f8::9', '45.9.9.9'])
  zones.splice(0, 1, zone('stores.example', '@ 60 A 45.9.9.10\n@ 60 AAAA 2a01:4f8::10'))
  failing = 'A'
  expect(await resolved()).toEqual(['2a01:4f8::10', '45.9.9.9'])
  failing = 'AAAA'
  expect(await resolved()).toEqual(['2a01:4f8::10', '45.9.9.10'])
  world.close()
})

test('given addresses are not resolved', () => {
  const hosting = { platformDomain: 'stores.example', publicAddresses: ['45.9.9.9'] }
  const clock = createManualClock(0)
  const addresses = createPublicAddresses({ hosting, clock, log: silentLog, checkOptions: () => ({ resolvers: [] }) })
  expect([addresses.current(), addresses.accepted(), addresses.jobs]).toEqual([['45.9.9.9'], ['45.9.9.9'], []])
})
