import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getRequest } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { createListenerWorld, get, type ListenerWorld } from './testing/public-listeners.ts'

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

test('only the owner can open the sockets of the inner servers, and they are gone after the stop', async () => {
  const { https, httpPort, stop } = world.start()
  await get(https, 'ada.example')
  await sendRaw(httpPort, getRequest('ada.example'))
  const directory = join(world.folder, 'sockets')
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const names = readdirSync(directory)
  expect(names.length).toBe(2)
  for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  await stop()
  expect(readdirSync(world.folder)).toEqual([])
})

test('the listeners start although the path of the directory is too long for sockets', async () => {
  const { https } = world.start({ socketDirectory: join(world.folder, 'x'.repeat(120)) })
  expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
})

test('requests in flight are finished when the listeners stop, and no further connection is accepted', async () => {
  const release = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  world.sites.set('ada.example', async () => {
    arrived.resolve()
    await release.promise
    return new Response('late')
  })
  const { https, stop } = world.start()
  const response = get(https, 'ada.example')
  await arrived.promise
  const stopped = stop()
  expect(await get(https, 'ada.example')).toStartWith('failed')
  release.resolve()
  expect(await response).toEqual([200, 'late'])
  await stopped
})

test('a port in use is an error that names the option', () => {
  const { httpPort } = world.start()
  expect(() => world.start({ httpPort })).toThrow(expect.objectContaining({ name: 'ListenError', option: 'http-port' }))
})
