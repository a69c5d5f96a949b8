import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { portsCheck } from './machine.ts'
import { hasSocket, holderOf, holderWords, socketAtPath, socketsOnPort } from './sockets.ts'

const folder = emptyFolder()
afterAll(folder.remove)
const linux = test.skipIf(!existsSync('/proc/net/tcp'))

/** A process that listens on a free port and on a unix socket. */
async function startListener(unix: string) {
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `Bun.listen({ unix: ${JSON.stringify(unix)}, socket: { data() {} } })
       const { port } = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
       console.log(port)`,
    ],
    { stdout: 'pipe' },
  )
  const { value } = await child.stdout.getReader().read()
  return { pid: child.pid, port: Number(new TextDecoder().decode(value)), end: () => child.kill() }
}

linux('the process that holds a port or a unix socket is named', async () => {
  const unix = join(folder.path, 'a.sock')
  const listener = await startListener(unix)
  try {
    const [socket = ''] = socketsOnPort(listener.port, '127.0.0.1') ?? []
    for (const one of [socket, socketAtPath(unix) ?? '']) {
      expect(holderOf(one)).toEqual({ pid: listener.pid, program: expect.stringMatching(/^bun/) })
      expect(hasSocket('self', one)).toBe(false)
    }
    const ports = [{ host: '127.0.0.1', port: listener.port, use: 'API' }] as const
    for (const server of ['self', undefined] as const) {
      const { ok, message } = portsCheck(ports, server)
      expect(ok).toBe(false)
      expect(message).toMatch(
        new RegExp(`^Port ${listener.port} \\(API\\) is used by bun.* \\(process ${listener.pid}\\)\\.$`),
      )
    }
  } finally {
    listener.end()
  }
})

linux('a program with the same port at another address is in nobody’s way', () => {
  const listener = Bun.listen({ hostname: '127.0.0.2', port: 0, socket: { data() {} } })
  const okAt = (host: string) => portsCheck([{ host, port: listener.port, use: 'API' }], undefined).ok
  expect(['127.0.0.1', '127.0.0.2', '0.0.0.0', '::', 'localhost'].map(okAt)).toEqual([true, false, false, false, false])
  listener.stop(true)
  const everywhere = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data() {} } })
  expect(portsCheck([{ host: '127.0.0.1', port: everywhere.port, use: 'API' }], undefined).ok).toBe(false)
  everywhere.stop(true)
})

linux('the own port of a server is in order, and for a start it is taken', () => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  const ports = [{ host: '127.0.0.1', port, use: 'HTTP' }] as const
  expect(portsCheck(ports, 'self')).toMatchObject({ ok: true, message: `The server listens on ${port} (HTTP).` })
  expect(portsCheck(ports, undefined)).toMatchObject({ ok: false })
  listener.stop(true)
  const free = [{ host: '127.0.0.1', port: 1, use: 'HTTP' }] as const
  expect(portsCheck(free, undefined)).toMatchObject({ ok: true, message: 'Free for a start: 1 (HTTP).' })
})

test('a socket without a known process has words too', () => {
  expect(holderOf('0')).toEqual({ pid: undefined, program: undefined })
  expect(holderWords(holderOf('0'))).toBe('a process of another user (sudo shows which)')
  expect(socketAtPath('/nowhere')).toBeUndefined()
})
