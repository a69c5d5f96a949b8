import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { buildZip } from '../../hosting/deploys/testing/zip.ts'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  proxiedHosting,
  startPetstoreProcess,
} from '../../testing/executable.ts'
import { startDnsServer, type TestServer } from '../testing/dns-server.ts'

// A random loopback address, whose ports nobody else uses.
const address = `127.54.${crypto.getRandomValues(new Uint8Array(2)).join('.')}`

let folder: ReturnType<typeof emptyFolder>
let silent: TestServer
let server: PetstoreProcess
beforeEach(async () => {
  folder = emptyFolder()
  silent = await startDnsServer(address, () => 'silence')
})
afterEach(async () => {
  await server?.kill()
  silent.close()
  folder.remove()
})

/** A server with a project and a domain, which queries a silent resolver. */
async function serve() {
  const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', `${address}:${silent.port}`]
  server = await startPetstoreProcess([...hosting, ...proxiedHosting, '--public-address', '45.9.9.9'], {
    cwd: folder.path,
  })
  const { url, key = '' } = server.ready
  const call = (path: string, body: BodyInit, type = 'application/json') =>
    fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
      body,
    })
  await call('/projects', '{"name":"Shop"}')
  const archive = new Blob([buildZip([{ name: 'index.html', content: 'Shop' }]) as Uint8Array<ArrayBuffer>])
  await call('/projects/1/deploys', archive, 'application/zip')
  expect((await call('/projects/1/domains', '{"hostname":"www.kiosk.example"}')).status).toBe(201)
  return {
    /** Starts a check; resolves when its first query was sent. */
    async verify() {
      const before = silent.queries.length
      const response = call('/projects/1/domains/www.kiosk.example/verify', '')
      while (silent.queries.length === before) await Bun.sleep(5)
      return { response }
    },
  }
}

/** The ids of the processes that the server has started. */
function children(): number[] {
  const tasks = `/proc/${server.ready.pid}/task`
  return readdirSync(tasks)
    .flatMap((task) => readFileSync(`${tasks}/${task}/children`, 'utf8').split(' '))
    .flatMap((id) => (id === '' ? [] : Number(id)))
}

const schedBatch = 3

/** How the threads of a process are scheduled: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function threadsOf(pid: number) {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const folder = `/proc/${pid}/task/${thread}`
    const fields = readFileSync(`${folder}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const slice = existsSync(`${folder}/sched`) && /se\.slice\s*:\s*(\d+)/.exec(readFileSync(`${folder}/sched`, 'utf8'))
    return { nice: Number(fields[16]), policy: Number(fields[38]), sliceNs: slice ? Number(slice[1]) : undefined }
  })
}

/** Whether the kernel lets threads have slices of their own, and shows them. */
function hasSlices(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major * 100 + minor >= 612 && threadsOf(process.pid)[0]?.sliceNs !== undefined
}

async function ended(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`)) await Bun.sleep(5)
}

const hasChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

describe.skipIf(!isBuilt || !hasChildren)('a running server', () => {
  test('has no process for checks before the first one, and survives one that is killed', async () => {
    const { verify } = await serve()
    expect(children()).toEqual([])
    const { response } = await verify()
    const [pid = 0] = children()
    process.kill(pid, 'SIGKILL')
    const { status, json } = await response.then(async (one) => ({ status: one.status, json: await one.json() }))
    expect([status, json.state, json.findings[0].message]).toEqual([
      200,
      'pending_dns',
      'The check of www.kiosk.example was interrupted before the servers had responded.',
    ])
    expect(json.dns.nextCheckAt).not.toBeNull()
    await (await verify()).response
    expect([children().length, children()[0] === pid]).toEqual([1, false])
    expect(await server.stop()).toBe(0)
  }, 30_000)

  test('is not interrupted by the threads of the process', async () => {
    const { verify } = await serve()
    const { response } = await verify()
    response.catch(() => {})
    const threads = threadsOf(children()[0] ?? 0)
    expect(new Set(threads.map(({ policy, nice }) => `${policy} ${nice}`))).toEqual(new Set([`${schedBatch} 10`]))
    expect(threadsOf(server.ready.pid).filter(({ policy }) => policy === schedBatch)).toEqual([])
    if (hasSlices()) expect(new Set(threads.map(({ sliceNs }) => sliceNs))).toEqual(new Set([100_000_000]))
    expect(await server.stop()).toBe(0)
  }, 30_000)

  test('ends the process when it stops, and says nothing about it', async () => {
    const { verify } = await serve()
    const { response } = await verify()
    response.catch(() => {})
    const [pid = 0] = children()
    // As in a terminal or a service manager, the signal reaches both.
    process.kill(pid, 'SIGTERM')
    expect(await server.stop()).toBe(0)
    await ended(pid)
    expect(await server.errors).not.toContain('checks domains')
  }, 30_000)

  test('that is killed leaves no process behind', async () => {
    const { verify } = await serve()
    const { response } = await verify()
    response.catch(() => {})
    const [pid = 0] = children()
    await server.kill()
    await ended(pid)
  }, 30_000)
})
