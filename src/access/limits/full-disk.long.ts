import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  isBuilt,
  makeStore,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { is, until } from '../../testing/per-test/server.ts'

let folder: ReturnType<typeof emptyFolder>
let disk: ReturnType<typeof mountDisk>
let server: PetstoreProcess | undefined
let key: string

beforeEach(async () => {
  if (!mountDisk.isPossible || !isBuilt) return
  folder = emptyFolder()
  disk = mountDisk(join(folder.path, 'data'), 8_000_000)
  const numbers = ['--plan', 'enterprise', '--per-minute', '10000', '--per-day', '100000']
  makeStore(folder.path)
  const run = await runPetstore(['keys', 'create', '--name', 'Partner', ...numbers, '--json'], { cwd: folder.path })
  key = JSON.parse(run.out).key
})
afterEach(async () => {
  await server?.kill()
  disk?.unmount()
  folder?.remove()
})

async function start(): Promise<PetstoreProcess> {
  server = await startPetstoreProcess([], { cwd: folder.path })
  return server
}

async function send(times: number): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` }
  for (let i = 0; i < times; i++) {
    const response = await fetch(`${url()}/v1/pets`, { headers })
    expect(response.status).toBe(200)
    await response.text()
  }
}

/** The counts, including this request. */
async function used() {
  const response = await fetch(`${url()}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
  const header = response.headers.get('ratelimit') ?? ''
  const [minute, day] = ['minute', 'day'].map((name) => Number(new RegExp(`"${name}";r=(\\d+)`).exec(header)?.[1]))
  return { minute: 10_000 - (minute ?? 0), day: 100_000 - (day ?? 0) }
}

const url = () => server?.ready.url

// Real time matters here: counts are stored once a second.
const aSave = () => Bun.sleep(1_300)

describe.skipIf(!isBuilt || !mountDisk.isPossible)('request counts on a full disk', () => {
  test('stay in memory, and are saved as soon as the disk has space', async () => {
    await start()
    await send(30)
    const filler = disk.fill()
    await send(100)
    await aSave()
    expect(await used()).toEqual({ minute: 131, day: 131 })
    rmSync(filler)
    await until(() => fetch(`${url()}/readyz`), is(200))
    await aSave()
    await server?.kill()
    await start()
    expect(await used()).toEqual({ minute: 132, day: 132 })
  }, 30_000)

  test('are lost with the process if they were not saved, which is logged', async () => {
    await start()
    await send(30)
    await aSave()
    disk.fill()
    await send(100)
    expect(await server?.stop()).toBe(0)
    expect(await server?.errors).toContain('the last request counts could not be saved')
    await start()
    expect((await used()).day).toBe(31)
  }, 30_000)
})
