import { expect, test } from 'bun:test'
import { openDatabase } from '../../database/open.ts'
import { AppError } from '../../lib/error.ts'
import { openTestStore } from '../../testing/harness.ts'
import { createAuthenticator } from './authenticate.ts'
import { saveUses } from './jobs.ts'
import { createKeyStore } from './store.ts'

test('a key has one cache entry and needs one query, in any spelling of the header', async () => {
  const store = await openTestStore()
  let queries = 0
  const keys = {
    ...store.app.keys,
    findBySha256: (hash: Buffer) => {
      queries++
      return store.app.keys.findBySha256(hash)
    },
  }
  const authenticator = createAuthenticator({ ...store.app, keys })
  const first = authenticator.authenticate(`Bearer ${store.key}`)
  for (let i = 1; i <= 1_000; i++) {
    expect(authenticator.authenticate(`Bearer${' '.repeat(i)}${store.key}`)).toBe(first)
    expect(authenticator.authenticate(`bEARER ${store.key}${' '.repeat(i)}`)).toBe(first)
  }
  expect(queries).toBe(1)
  await store.close()
})

test('when storing the last uses of keys fails, the next run stores them', async () => {
  const database = openDatabase(':memory:', 0)
  const store = await openTestStore({}, undefined, database)
  const { authenticator, keys, writer } = store.app
  authenticator.authenticate(`Bearer ${store.key}`)
  const usedAt = store.clock.now()
  const full = () => Promise.reject(new AppError('storage_unavailable', 'The disk is full.'))
  await expect(saveUses({ keys, writer: { ...writer, write: full } })).rejects.toThrow('full')
  await saveUses({ keys, writer })
  expect(createKeyStore(database.tables).find(1)?.lastUsedAt).toBe(usedAt)
  await store.close()
})

test('a use of a key during a run of the job is stored by the next run', async () => {
  const database = openDatabase(':memory:', 0)
  const store = await openTestStore({}, undefined, database)
  const { authenticator, keys, writer } = store.app
  const use = () => authenticator.authenticate(`Bearer ${store.key}`)
  use()
  const saving = saveUses({ keys, writer })
  // In the same transaction, after the uses were read.
  await writer.write(() => {
    store.clock.advance(1_000)
    use()
  })
  await saving
  await saveUses({ keys, writer })
  expect(createKeyStore(database.tables).find(1)?.lastUsedAt).toBe(store.clock.now())
  await store.close()
})
