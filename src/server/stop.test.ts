import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createManualClock } from '../lib/clock.ts'
import { getRequest, openHttps } from '../testing/https-client.ts'
import { sendRaw } from '../testing/send-raw.ts'
import { testLog } from '../testing/site-listener.ts'
import { createListener, graceMs } from './listener.ts'
import { createListenerWorld, get, type ListenerWorld, openRaw } from './testing/public-listeners.ts'

const incomplete = 'GET / HTTP/1.1\r\nHost: ada.example\r\n'
const whole = `${incomplete}\r\n`

let world: ListenerWorld
beforeEach(() => {
  world = createListenerWorld()
})
afterEach(() => world.close())

/** A listener whose responses wait for `response`; `isReached` resolves when a request waits. */
function createWaitingListener() {
  const clock = createManualClock(0)
  const response = Promise.withResolvers<Response>()
  const isReached = Promise.withResolvers<void>()
  const listener = createListener({
    hostname: '127.0.0.1',
    port: 0,
    log: testLog([]),
    clock,
    observe: () => {},
    respond() {
      isReached.resolve()
      return response.promise
    },
  })
  return { ...listener, clock, response, isReached: isReached.promise }
}

test('a stop waits for a request in flight, and not for a request whose head is incomplete', async () => {
  const listener = createWaitingListener()
  const half = await openRaw(listener.port, incomplete)
  const complete = await openRaw(listener.port, whole)
  await listener.isReached
  const stopped = listener.stop()
  listener.response.resolve(new Response('late'))
  expect(await complete.closed).toEndWith('\r\n\r\nlate')
  await stopped
  expect(await half.closed).toBe('')
})

test('a stop of the public listeners does not wait for requests whose heads are incomplete', async () => {
  const { httpPort, https, stop } = world.start()
  const plain = await openRaw(httpPort, incomplete)
  const secure = await openHttps({ port: https, name: 'ada.example', text: incomplete })
  // These responses come after the inner servers have read the incomplete heads.
  expect(await sendRaw(httpPort, getRequest('ada.example'))).toContain('200 OK')
  expect(await get(https, 'ada.example')).toEqual([200, 'Ada'])
  await stop()
  expect([await plain.closed, await secure.received]).toEqual(['', ''])
})

test('a request in flight that does not end is closed when the grace period is over', async () => {
  const listener = createWaitingListener()
  const complete = await openRaw(listener.port, whole)
  await listener.isReached
  const stopped = listener.stop()
  const isStopped = stopped.then(() => true)
  do listener.clock.advance(graceMs)
  while (!(await Promise.race([isStopped, Bun.sleep(1)])))
  expect(await complete.closed).toBe('')
})
