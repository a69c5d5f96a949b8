import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  emptyFolder,
  isBuilt,
  makeStore,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

let folder: ReturnType<typeof emptyFolder>
let server: PetstoreProcess | undefined

beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  await server?.kill()
  folder.remove()
})

async function start(): Promise<PetstoreProcess> {
  server = await startPetstoreProcess([], { cwd: folder.path })
  return server
}

async function freeKey(): Promise<string> {
  makeStore(folder.path)
  const run = await runPetstore(['keys', 'create', '--name', 'Partner', '--json'], { cwd: folder.path })
  return JSON.parse(run.out).key
}

const headersOf = (response: Response) => ({
  status: response.status,
  remaining: Number(response.headers.get('x-ratelimit-remaining')),
  day: Number(/"day";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]),
})
const send = async ({ ready }: PetstoreProcess, key: string) =>
  headersOf(await fetch(`${ready.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } }))

describe.skipIf(!isBuilt)('limits of the executable', () => {
  test('continue over a clean restart, for the minute and the day', async () => {
    const key = await freeKey()
    const first = await start()
    for (let i = 0; i < 60; i++) expect((await send(first, key)).status).toBe(200)
    expect(await send(first, key)).toEqual({ status: 429, remaining: 0, day: 940 })
    expect(await first.stop()).toBe(0)
    const second = await start()
    expect(await send(second, key)).toEqual({ status: 429, remaining: 0, day: 940 })
  })

  test('lose at most the last second of counting by kill -9', async () => {
    const key = await freeKey()
    const first = await start()
    for (let i = 0; i < 20; i++) await send(first, key)
    await Bun.sleep(1_200) // Real time matters here: counts go to disk once a second.
    for (let i = 0; i < 5; i++) await send(first, key)
    await first.kill()
    const { remaining, day } = await send(await start(), key)
    // 20 are on disk and up to 5 of the last second may be missing; this request is one more.
    expect(day).toBeLessThanOrEqual(979)
    expect(day).toBeGreaterThanOrEqual(974)
    expect(remaining).toBeLessThanOrEqual(39)
  })

  test('include a ban that is on disk before the next response and survives kill -9', async () => {
    const numbers = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '1']
    makeStore(folder.path)
    const run = await runPetstore(['keys', 'create', '--name', 'Hasty', ...numbers, '--json'], { cwd: folder.path })
    const { key } = JSON.parse(run.out)
    const first = await start()
    const codeOf = async (one: PetstoreProcess) => {
      const response = await fetch(`${one.ready.url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
      return response.status === 200 ? 'admitted' : ((await response.json()) as { code: string }).code
    }
    expect([await codeOf(first), await codeOf(first)]).toEqual(['admitted', 'daily_quota_exceeded'])
    await Bun.sleep(2_100) // Real time matters here: rejections in the first two seconds do not count.
    for (let i = 0; i < 20; i++) expect(await codeOf(first)).toBe('daily_quota_exceeded')
    expect(await codeOf(first)).toBe('key_banned')
    await first.kill()
    expect(await codeOf(await start())).toBe('key_banned')
  })
})
