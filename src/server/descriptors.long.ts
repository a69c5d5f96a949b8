import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { emptyFolder, executable, isBuilt, type PetstoreProcess, startPetstoreProcess } from '../testing/executable.ts'

const limit = 64
const hasProc = process.platform === 'linux'
if (!hasProc) console.error('SKIPPED: the use of the processor is read from /proc.')

describe.skipIf(!isBuilt || !hasProc)('without a free file descriptor', () => {
  let folder: ReturnType<typeof emptyFolder>
  let server: PetstoreProcess
  let sockets: Socket[]
  let responses: number

  beforeEach(async () => {
    folder = emptyFolder()
    sockets = []
    responses = 0
    const limited = ['/bin/sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh']
    server = await startPetstoreProcess([], { cwd: folder.path }, limited)
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await server.kill()
    folder.remove()
  })

  /** Opens twice as many connections as there are descriptors, and sends `text` on each. */
  function flood(text: string): void {
    for (let i = 0; i < 2 * limit; i++) {
      const socket = connect(server.ready.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('data', () => responses++)
      if (text !== '') socket.write(text)
      sockets.push(socket)
    }
  }

  /** The share of a processor that the server uses during the next second. */
  async function load(): Promise<number> {
    const usedMs = () => {
      const fields = readFileSync(`/proc/${server.ready.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * 10
    }
    const before = usedMs()
    await Bun.sleep(1_000)
    return (usedMs() - before) / 1_000
  }

  const list = () =>
    fetch(`${server.ready.url}/v1/pets`, { headers: { Authorization: `Bearer ${server.ready.key}` }, keepalive: false })

  async function logged(): Promise<string[]> {
    expect(await server.stop()).toBe(0)
    const lines = (await server.errors).trim().split('\n')
    return lines.map((line) => (JSON.parse(line) as { message: string }).message.split(':')[0] ?? '')
  }

  const shortage = 'no file descriptor is left'

  test('more clients than descriptors are all served, and the shortage is logged once', async () => {
    flood('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    for (let i = 0; i < 400 && responses < 2 * limit; i++) await Bun.sleep(50)
    expect(responses).toBe(2 * limit)
    expect(await load()).toBeLessThan(0.3)
    expect((await list()).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await Bun.sleep(5_500)
    expect(await logged()).toEqual([shortage, 'file descriptors are free again', 'stopping'])
  })

  test.each(['', 'GET /v1/pets HTTP/1.1\r\nHost: '])(
    'connections that send %j are closed, so that other clients are served',
    async (text) => {
      flood(text)
      // The system hands over silent connections after a second.
      await Bun.sleep(4_000)
      expect(await load()).toBeLessThan(0.3)
      expect((await list()).status).toBe(200)
      expect(await logged()).toEqual([shortage, 'stopping'])
    },
  )

  test('a command reports the shortage in one line', () => {
    for (const files of [6, 7, 8, 9, 10]) {
      const command = [
        '/bin/sh',
        '-c',
        `ulimit -n ${files}; exec "$@"`,
        'sh',
        executable,
        'keys',
        'create',
        '--name',
        'A',
      ]
      const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder.path })
      const lines = stderr.toString().trim().split('\n')
      if (exitCode !== 0)
        expect([files, lines.length, lines[0]]).toEqual([files, 1, expect.stringContaining('descriptor')])
    }
  })
})
