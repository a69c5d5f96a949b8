import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { emptyFolder, runPetstore, startPetstoreProcess } from '../executable.ts'
import { parseResponse } from '../https-client.ts'
import { canRunFakes, type HostingWorld, openHostingWorld } from './world.ts'

const name = 'www.kiosk.example'

describe.skipIf(!canRunFakes)('a domain that is served', () => {
  let world: HostingWorld
  let project: Awaited<ReturnType<HostingWorld['newProject']>>
  beforeAll(async () => {
    world = await openHostingWorld('fakes')
    project = await world.newProject('Kiosk')
    await world.names.change('kiosk.example', [`www 1 CNAME ${project.cnameTarget}.`])
    await world.add(project.id, name)
    await world.verify(project.id, name)
    await world.reach(project.id, name, 'active')
    for (const one of ['api.stores.example', 'kiosk.stores.example', name]) await world.served(one)
  })
  afterAll(() => world?.stop())

  const ordersOf = () => [...(world.fake?.orders.values() ?? [])].filter(({ hostname }) => hostname === name)

  test('is served from the next start on, without another order', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await world.restart(signal)
      expect(parseResponse(await world.https(name))).toEqual([200, '<title>Kiosk</title>'])
    }
    expect(ordersOf()).toHaveLength(1)
  })

  test('is served with its certificate by a store into which a backup was restored, without the authority', async () => {
    const elsewhere = emptyFolder()
    const { file } = JSON.parse((await world.run('backup', 'create', '--json')).out)
    expect(await world.server.stop()).toBe(0)
    try {
      await runPetstore(['demo'], { cwd: elsewhere.path })
      const restored = await runPetstore(['backup', 'restore', file], { cwd: elsewhere.path })
      expect(restored).toMatchObject({ code: 0 })
      const args = world.args.map((one) => (one === world.fake?.directoryUrl ? 'http://127.0.0.1:9/directory' : one))
      const server = await startPetstoreProcess(args, { cwd: elsewhere.path })
      expect(parseResponse(await world.https(name))).toEqual([200, '<title>Kiosk</title>'])
      expect(await server.stop()).toBe(0)
    } finally {
      elsewhere.remove()
      await world.restart('SIGTERM')
    }
  })
})
