import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManualClock } from '../../lib/clock.ts'
import { version } from '../../lib/version.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { openTestStore } from '../../testing/harness.ts'
import { startPetstore } from '../../testing/start-petstore.ts'
import { createFolderSize } from './routes.ts'

test('it has the version, the environment, the data directory and its size', async () => {
  const folder = emptyFolder()
  const store = await openTestStore({ databasePath: join(folder.path, 'production.db') })
  writeFileSync(join(folder.path, 'large'), Buffer.alloc(1_000_000))
  const { json } = await store.call('GET', '/v1/system')
  expect(json).toEqual({
    version,
    environment: 'production',
    address: null,
    sitesDomain: null,
    certificate: null,
    heldSince: null,
    executable: null,
    runsAs: 'program',
    container: null,
    folder: folder.path,
    bytes: expect.any(Number),
  })
  expect(json.bytes).toBeGreaterThan(1_000_000)
  await store.close()
  folder.remove()
})

test('a store in memory has no directory, and the address is that of the listener', async () => {
  await using store = await startPetstore()
  const response = await fetch(`${store.url}/v1/system`, { headers: { Authorization: `Bearer ${store.key}` } })
  expect(await response.json()).toMatchObject({ address: store.url, folder: null, bytes: expect.any(Number) })
})

test('the size covers directories, each file once, but not what links lead to, and is read again after ten seconds', async () => {
  const folder = emptyFolder()
  const inner = join(folder.path, 'a', 'b')
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(inner, 'one'), 'x'.repeat(100))
  symlinkSync('/etc', join(folder.path, 'link'))
  // Another name of the same file, as backups make them.
  linkSync(join(inner, 'one'), join(inner, 'same'))
  const clock = createManualClock(0)
  const size = createFolderSize(folder.path, clock)
  expect(await size()).toBe(100)
  writeFileSync(join(folder.path, 'two'), 'x'.repeat(10))
  expect(await size()).toBe(100)
  clock.advance(10_000)
  expect(await Promise.all([size(), size()])).toEqual([110, 110])
  folder.remove()
  clock.advance(10_000)
  expect(await size()).toBe(0)
})
