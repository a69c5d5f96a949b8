import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Step } from '../../hosting/certificates/testing/fake-order.ts'
import { parseResponse } from '../https-client.ts'
import { canRunFakes, type HostingWorld, openHostingWorld } from './world.ts'

const steps: readonly Step[] = [
  'newNonce',
  'newOrder',
  'authorization',
  'challenge',
  'order',
  'finalize',
  'certificate',
]

describe.skipIf(!canRunFakes)('the order of a domain continues after kill -9 of the executable,', () => {
  let world: HostingWorld
  let project: Awaited<ReturnType<HostingWorld['newProject']>>
  beforeAll(async () => {
    world = await openHostingWorld('fakes')
    project = await world.newProject('Kiosk')
    for (const name of ['api', 'kiosk']) await world.served(`${name}.stores.example`)
  })
  afterAll(() => world?.stop())

  for (const [count, step] of steps.entries()) {
    for (const moment of ['before', 'after'] as const) {
      test(`${moment} the authority has processed the request "${step}"`, async () => {
        const name = `${moment}${count}.kiosk.example`
        const { fake, server } = world
        if (!fake) throw new Error('there is no authority')
        await world.names.change('kiosk.example', [`* 1 CNAME ${project.cnameTarget}.`])
        await world.add(project.id, name)
        if (step === 'newNonce') await world.restart('SIGTERM')
        const killed = Promise.withResolvers<void>()
        const kill = async () => {
          fake.settings.beforeResponse = undefined
          await world.server.kill()
          killed.resolve()
        }
        if (moment === 'before') fake.inject(step, async () => kill().then(() => new Response('too late')))
        else fake.settings.beforeResponse = async (processed) => (processed === step ? kill() : undefined)
        // The process may be killed before it has responded.
        await world.verify(project.id, name).catch(() => {})
        await killed.promise
        await world.restart('SIGKILL')
        expect(world.server).not.toBe(server)
        await world.reach(project.id, name, 'active')
        expect(parseResponse(await world.served(name))[0]).toBeOneOf([200, 301])
        expect([...fake.orders.values()].filter(({ hostname }) => hostname === name)).toHaveLength(1)
        expect(fake.accounts.size).toBe(1)
        await world.remove(project.id, name)
      })
    }
  }
})
