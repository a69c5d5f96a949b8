import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { systemClock } from '../../../lib/clock.ts'
import { createTransport } from './transport.ts'

/** The message of the error of a request to a server that treats each connection so. */
async function errorOf(scheme: 'http' | 'https', treat: (socket: Socket) => void): Promise<string> {
  const server = createServer(treat)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = `${scheme}://127.0.0.1:${port}/directory`
  const request = createTransport({ clock: systemClock })({ method: 'GET', url, signal: new AbortController().signal })
  const message = await request.then(
    () => 'a reply',
    (error: Error) => error.message.replace(`127.0.0.1:${port}`, 'ca'),
  )
  server.close()
  return message
}

test('an authority that cannot be reached has a reason in plain words, and none of the runtime', async () => {
  expect(await errorOf('http', (socket) => void socket.resetAndDestroy())).toBe(
    "ca can't be reached: it closed the connection.",
  )
  expect(await errorOf('https', (socket) => void socket.resetAndDestroy())).toBe(
    "ca can't be reached: it closed the connection.",
  )
  expect(await errorOf('https', (socket) => void socket.end('220 Welcome\r\n'))).toBe(
    "ca can't be reached: it does not speak TLS on this port.",
  )
})
