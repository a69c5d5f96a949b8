import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseResponse } from '../https-client.ts'
import { canRunFakes, type HostingWorld, openHostingWorld } from './world.ts'

const name = 'www.kiosk.example'
const minuteMs = 60_000

describe.skipIf(!canRunFakes)('the certificate of a domain', () => {
  let world: HostingWorld
  beforeAll(async () => {
    world = await openHostingWorld('fakes')
  })
  afterAll(() => world?.stop())

  // The service queries the authority's advice once a minute.
  test(
    'is replaced in use, without a restart, when the authority advises it (RFC 9773)',
    async () => {
      const { fake } = world
      if (!fake) throw new Error('there is no authority')
      const at = (minutes: number) => new Date(Date.now() + minutes * minuteMs).toISOString()
      fake.settings.window = { start: at(-2), end: at(-1) }
      const project = await world.newProject('Kiosk')
      await world.names.change('kiosk.example', [`www 1 CNAME ${project.cnameTarget}.`])
      await world.add(project.id, name)
      await world.verify(project.id, name)
      const { certificate } = await world.reach(project.id, name, 'active')
      const replaced = () => [...fake.orders.values()].some((order) => order.hostname === name && order.replaces)
      await world.until(async () => replaced(), 2 * minuteMs)
      fake.settings.window = undefined
      await world.until(async () => {
        const now = (await world.domain(project.id, name)).certificate
        return now.status === 'active' && now.expiresAt > certificate.expiresAt
      })
      expect(parseResponse(await world.served(name))).toEqual([200, '<title>Kiosk</title>'])
    },
    3 * minuteMs,
  )
})
