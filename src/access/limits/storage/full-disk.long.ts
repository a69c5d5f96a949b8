import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../../testing/executable.ts'
import { mountDisk } from '../../../testing/faults.ts'

let folder: ReturnType<typeof emptyFolder>
let disk: ReturnType<typeof mountDisk>
let server: PetstoreProcess | undefined
let key: string

beforeEach(async () => {
  if (!mountDisk.isPossible || !isBuilt) return
  folder = emptyFolder()
  disk = mountDisk(join(folder.path, 'data'), 8_000_000)
  const numbers = ['--plan', 'enterprise', '--per-minute', '10000', '--per-day', '100000']
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
  test('survive repeated kill -9 except for the last second, and are stored in the database when there is space', async () => {
    await start()
    await send(30)
    await aSave()
    const filler = disk.fill()
    for (let round = 1; round <= 2; round++) {
      await send(100)
      await aSave()
      await aSave()
      await server?.kill()
      await start()
      const counted = await used()
      expect(counted.day).toBe(30 + round * 101)
      expect(counted.minute).toBe(30 + round * 101)
    }
    rmSync(filler)
    await aSave()
    await aSave()
    await server?.kill()
    renameSync(join(disk.path, 'production.db-limits'), join(disk.path, 'aside'))
    await start()
    expect(await used()).toEqual({ minute: 233, day: 233 })
  }, 30_000)

  test('survive SIGTERM to the last request, and the process exits with 0', async () => {
    await start()
    await send(30)
    await aSave()
    disk.fill()
    await send(100)
    expect(await server?.stop()).toBe(0)
    expect(await server?.errors).toContain('production.db-limits')
    await start()
    expect(await used()).toEqual({ minute: 131, day: 131 })
  }, 30_000)

  test('are reported as lost in one line, with exit code 1, if the reserve cannot be written either', async () => {
    await start()
    await send(30)
    await aSave()
    rmSync(join(disk.path, 'production.db-limits'))
    disk.fill()
    await send(10)
    expect(await server?.stop()).toBe(1)
    const lines = (await server?.errors)?.split('\n').filter((line) => line.startsWith('petstore: ')) ?? []
    expect(lines).toHaveLength(1)
    expect(lines[0]).toStartWith('petstore: The last request counts are lost, limits may admit too many requests')
    expect(lines[0]).toEndWith("production.db-limits can't be written: it was moved, removed or replaced.")
  }, 30_000)

  test('include bans, which survive kill -9 and are stored in the database when there is space', async () => {
    const small = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '1']
    const run = await runPetstore(['keys', 'create', '--name', 'Hasty', ...small, '--json'], { cwd: folder.path })
    const { key: hasty, id } = JSON.parse(run.out)
    const codeOf = async () => {
      const response = await fetch(`${url()}/v1/pets`, { headers: { Authorization: `Bearer ${hasty}` } })
      return response.status === 200 ? 'admitted' : ((await response.json()) as { code: string }).code
    }
    await start()
    expect([await codeOf(), await codeOf()]).toEqual(['admitted', 'daily_quota_exceeded'])
    await Bun.sleep(2_100) // Real time matters here: rejections in the first two seconds do not count.
    const filler = disk.fill()
    for (let i = 0; i < 20; i++) expect(await codeOf()).toBe('daily_quota_exceeded')
    expect(await codeOf()).toBe('key_banned')
    await aSave()
    await aSave()
    await server?.kill()
    await start()
    expect(await codeOf()).toBe('key_banned')
    rmSync(filler)
    await aSave()
    await aSave()
    const list = await runPetstore(['keys', 'list', '--json'], { cwd: folder.path })
    const banned = (JSON.parse(list.out) as { id: number; bannedUntil: string | null }[]).find((one) => one.id === id)
    expect(banned?.bannedUntil).not.toBeNull()
  }, 30_000)
})
