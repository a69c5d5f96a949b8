/**
 * kill -9 at each request of a copy and of a fetch: what is complete in the bucket stays so, and the next run finishes.
 */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defaultKeep } from '../../../config/backups.ts'
import { executable, isBuilt } from '../../../testing/executable.ts'
import { verifyBackup } from '../verify.ts'
import type { CopyTask } from './copy.ts'
import { type AgeKeys, createAgeKeys } from './encryption.ts'
import { fetchBackup } from './fetch.ts'
import { startS3Server, type TestS3Server } from './testing/s3-server.ts'
import { createStoreWithSite, dayMs, noon, type StoreWithSite } from './testing/store-with-site.ts'

const keep = { days: 1, weeks: 0, months: 0 }
let store: StoreWithSite
let server: TestS3Server
let keys: AgeKeys
beforeEach(async () => {
  server = await startS3Server()
  store = createStoreWithSite(['<h1>Kiosk</h1>', 'x'.repeat(300_000)])
  keys = await createAgeKeys()
})
afterEach(async () => {
  await server.stop()
  store.folder.remove()
})

/** Runs a task in a process that is killed when it sends its request number `killedAt`. Returns whether it finished. */
async function run(task: string, input: object, killedAt = Number.POSITIVE_INFINITY): Promise<boolean> {
  const child = Bun.spawn([executable, 'task', task], {
    stdin: new Blob([JSON.stringify(input)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let requests = 0
  server.onRequest(() => {
    if (++requests === killedAt) child.kill('SIGKILL')
  })
  const out = await new Response(child.stdout).text()
  await child.exited
  server.onRequest(() => {})
  return out.includes('"result"')
}

const task = (nowMs: number): CopyTask => ({
  ...store.place,
  bucket: server.bucket,
  recipients: [keys.recipient],
  keep,
  nowMs,
})

/** The newest backup of the bucket as it is fetched and verified; undefined if there is none. */
async function newest(): Promise<string | undefined> {
  const directory = join(store.folder.path, 'checked')
  try {
    const { bucket } = server
    const from = {
      bucket,
      environment: 'production',
      object: undefined,
      identities: [keys.identity],
      nowMs: noon + 365 * dayMs,
      directory,
    } as const
    const { file } = await fetchBackup(from, () => {})
    expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
    return basename(file)
  } catch (error) {
    expect(String(error)).toContain('There is no complete backup')
    return undefined
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe.skipIf(!isBuilt)('a process that is killed', () => {
  test('while it copies, deletes old copies and sweeps leaves complete backups alone, and the next one finishes', async () => {
    let at = noon
    let expected: string | undefined
    for (let step = 1; ; step++) {
      at += dayMs
      store.addContent(`new ${step}`)
      const name = basename(store.backUp(at))
      const isFinished = await run('copy-backups', task(at), step)
      const found = await newest()
      expect([step, [name, expected].includes(found)]).toEqual([step, true])
      if (isFinished) break
      expect(await run('copy-backups', task(at))).toBe(true)
      expect(await newest()).toBe(name)
      expected = name
      expect(step).toBeLessThan(80)
    }
  }, 600_000)

  test('while it fetches leaves no backup that is not whole, and the next one finishes', async () => {
    const name = basename(store.backUp())
    expect(await run('copy-backups', { ...task(noon), keep: defaultKeep })).toBe(true)
    const place = { ...store.place, databasePath: join(store.folder.path, 'new/production.db') }
    const input = { ...place, bucket: server.bucket, identities: [keys.identity] }
    const file = join(dirname(place.databasePath), 'backups', name)
    for (let step = 1; ; step++) {
      rmSync(dirname(place.databasePath), { recursive: true, force: true })
      const isFinished = await run('fetch-copy', input, step)
      if (existsSync(file)) expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
      if (isFinished) break
      expect(await run('fetch-copy', input)).toBe(true)
      expect(verifyBackup(file, 'production').damagedFiles).toBe(0)
      expect(step).toBeLessThan(40)
    }
  }, 600_000)

  test('while it verifies leaves nothing that the next backup does not remove', async () => {
    store.backUp()
    expect(await run('copy-backups', { ...task(noon), keep: defaultKeep })).toBe(true)
    const data = dirname(store.place.databasePath)
    const entries = () =>
      [...readdirSync(data), ...readdirSync(join(data, 'backups'))].filter((name) => !name.endsWith('.db'))
    const before = entries()
    const input = { ...store.place, bucket: server.bucket, identities: [keys.identity] }
    for (let step = 1; !(await run('verify-copy', input, step)); step++) {
      store.backUp()
      expect([step, entries()]).toEqual([step, before])
      expect(step).toBeLessThan(40)
    }
    expect(entries()).toEqual(before)
  }, 600_000)
})
