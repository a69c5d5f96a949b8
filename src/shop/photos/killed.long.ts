import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deployJobs } from '../../hosting/deploys/jobs.ts'
import { filesBelow, hashOf } from '../../lib/contents/testing/content-store.ts'
import { isBuilt } from '../../testing/executable.ts'
import { injectErrors } from '../../testing/faults.ts'
import { openTestStore } from '../../testing/harness.ts'
import { serversPerTest } from '../../testing/per-test/server.ts'
import { imageBytes } from './testing/images.ts'

/** The system calls that change files while a photo arrives, is encoded, stored and committed. */
const steps = ['mkdir', 'write', 'fsync', 'fdatasync', 'rename', 'pwrite64', 'unlinkat']
/** A process that makes a call more often than this does other work, too. */
const mostCalls = 30

const { data, file, serve } = serversPerTest()

test.skipIf(!isBuilt || !injectErrors.isPossible)(
  'kill -9 at any step of adding a photo leaves no photo without its files, and no file that is not swept',
  async () => {
    let key: string | undefined
    let kills = 0
    let photos = 0
    for (const step of steps) {
      for (let nth = 1; nth <= mostCalls; nth++) {
        const server = await serve(key)
        key = server.key
        const { id } = (await (await server.add(`Animal ${step} ${nth}`)).json()) as { id: number }
        const image = new Blob([new Uint8Array(await imageBytes('jpeg', 900 + photos, 600))])
        const add = ({ ready: { url } }: typeof server) =>
          fetch(`${url}/v1/pets/${id}/photos`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${key}`,
              'Content-Type': 'image/jpeg',
              'Idempotency-Key': `${step} ${nth}`,
            },
            body: image,
          })
        const fault = await injectErrors(server.ready.pid, `${step}:signal=KILL:when=${nth}`)
        const response = await add(server).catch(() => undefined)
        await server.kill()
        await fault.stop()
        const isAdded = response?.status === 201
        if (!isAdded) {
          kills++
          // It may have been killed between the commit and the response.
          expect([photos, photos + 1]).toContain(await wholePhotos())
          const next = await serve(key)
          expect((await add(next)).status).toBe(201)
          await next.kill()
        }
        expect([step, nth, await wholePhotos()]).toEqual([step, nth, ++photos])
        if (isAdded) break
      }
    }
    expect(kills).toBeGreaterThan(20)
  },
  600_000,
)

/** The number of photos of the store, whose files are whole, and the only ones after its next start and a sweep. */
async function wholePhotos(): Promise<number> {
  const store = await openTestStore({ databasePath: file() })
  const sweep = deployJobs(store.app).find(({ name }) => name === 'delete files that no deploy has')
  await sweep?.run(new AbortController().signal)
  await store.close()
  using database = new Database(file(), { readonly: true })
  const hashes = database.query('SELECT DISTINCT lower(hex(hash)) FROM photo_files').values().flat() as string[]
  const files = filesBelow(join(data(), 'production-files'))
  expect(files).toEqual(hashes.map((hash) => `${hash.slice(0, 2)}/${hash.slice(2)}`).toSorted())
  for (const path of files)
    expect(hashOf(readFileSync(join(data(), 'production-files', path)))).toBe(path.replace('/', ''))
  const [count] = database.query('SELECT count(*) FROM pet_photos').values()[0] as [number]
  expect(database.query('SELECT count(*) FROM photo_files').values()[0]).toEqual([3 * count])
  return count
}
