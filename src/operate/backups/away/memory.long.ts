/**
 * The memory of a copy and of a fetch does not depend on the size of what is copied, and hardly on what is in the
 * bucket already.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultKeep } from '../../../config/backups.ts'
import { executable, isBuilt } from '../../../testing/executable.ts'
import { backupName } from '../rules.ts'
import { createAgeKeys } from './encryption.ts'
import type { CopyList } from './names.ts'
import { startS3Server, type TestS3Server } from './testing/s3-server.ts'
import { createStoreWithSite, dayMs, noon, type StoreWithSite } from './testing/store-with-site.ts'

/** The program itself needs 32 MB of them. */
const mostBytes = 120_000_000
let store: StoreWithSite
let server: TestS3Server
beforeEach(async () => {
  server = await startS3Server()
  const pictures = Array.from({ length: 150 }, (_, i) => String(i).padEnd(1_000_000, 'y'))
  store = createStoreWithSite(['x'.repeat(150_000_000), ...pictures])
  for (let days = 1; days <= 17; days++) putCopy(noon - days * dayMs)
  store.backUp()
})
afterEach(async () => {
  await server.stop()
  store.folder.remove()
})

/** Puts a complete copy of a backup with 10,000 contents into the bucket. */
function putCopy(createdAt: number): void {
  const file = backupName({ environment: 'production', reason: 'scheduled', createdAt, number: 1 })
  const contents = Array.from({ length: 10_000 }, (_, i) => [i.toString(16).padStart(64, '0'), 10_000] as const)
  const list: CopyList = {
    version: 1,
    file,
    bytes: 1,
    sha256: '0'.repeat(64),
    recipients: [],
    contentsAt: 'production-contents/',
    contents,
  }
  server.put(file, 'x')
  server.put(file.replace('.db', '.json'), JSON.stringify(list))
}

/** Runs a task; returns the most memory that its process had, in bytes. */
async function memoryOf(task: string, input: object): Promise<number> {
  const stdin = new Blob([JSON.stringify({ bucket: server.bucket, ...input })])
  const child = Bun.spawn([executable, 'task', task], { stdin, stdout: 'pipe', stderr: 'inherit' })
  // `ru_maxrss` of a child begins with the memory of the process that starts it.
  let most = 0
  const timer = setInterval(() => {
    try {
      const [, kilobytes] = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      most = Math.max(most, Number(kilobytes ?? 0) * 1_024)
    } catch {
      // It has ended.
    }
  }, 5)
  const out = await new Response(child.stdout).text()
  await child.exited
  clearInterval(timer)
  expect(out).toContain('"result"')
  return most
}

test.skipIf(!isBuilt).each([true, false])(
  'a copy and a fetch of 300 MB need at most 120 MB each, beside copies of 10,000 files; encrypted: %p',
  async (isEncrypted) => {
    const keys = await createAgeKeys()
    const task = { ...store.place, recipients: isEncrypted ? [keys.recipient] : [], keep: defaultKeep, nowMs: noon }
    const copied = await memoryOf('copy-backups', task)
    const databasePath = join(store.folder.path, 'new/production.db')
    const fetched = await memoryOf('fetch-copy', { ...store.place, databasePath, identities: [keys.identity] })
    expect([copied, fetched].filter((bytes) => bytes > mostBytes)).toEqual([])
  },
  120_000,
)
