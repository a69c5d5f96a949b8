import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { storePerTest } from '../../testing/per-test/store.ts'

const opened = storePerTest()

test('while another process holds the write lock, stored responses and dry runs are still sent', async () => {
  const { key } = opened.store
  const headers = { 'Idempotency-Key': 'add' }
  const add = () => opened.store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 }, headers, key })
  const dryRun = () =>
    opened.store.call('POST', '/v1/imports?dryRun=true', {
      key,
      rawBody: 'name,category\nBea,Cat\n',
      headers: { 'Content-Type': 'text/csv', 'Idempotency-Key': 'try' },
    })
  const replayed = (response: Awaited<ReturnType<typeof add>>) => response.headers.get('idempotent-replayed')
  const added = await add()
  const other = new Database(opened.databasePath, { readwrite: true })
  other.run('BEGIN IMMEDIATE')
  const again = await add()
  expect([again.status, again.text, replayed(again)]).toEqual([201, added.text, 'true'])
  const tried = await dryRun()
  expect([tried.status, tried.json.imported, replayed(tried)]).toEqual([200, 1, null])
  const triedAgain = await dryRun()
  expect([triedAgain.text, replayed(triedAgain)]).toEqual([tried.text, 'true'])
  const reused = await opened.store.call('POST', '/v1/categories', {
    body: { name: 'Toys' },
    headers: { 'Idempotency-Key': 'try' },
  })
  expect(reused.json.code).toBe('idempotency_key_reused')
  other.close()
  opened.store.clock.advance(1_000)
  await opened.store.app.writer.write(() => {})
  expect(replayed(await dryRun())).toBe('true')
  await opened.restart()
  expect(replayed(await dryRun())).toBe('true')
})
