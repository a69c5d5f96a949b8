import { expect, test } from 'bun:test'
import { importsPerTest } from './testing/per-test.ts'

const { opened, send, interrupt, untilRemoved, names } = importsPerTest()

/** The names of the default categories, by id. */
const defaults = ['Dog', 'Cat', 'Bird', 'Fish', 'Reptile', 'Small animal']
const categoryNames = async () =>
  (await opened.store.call('GET', '/v1/categories')).json.map(({ name }: { name: string }) => name)

/** Sends a file that replaces default categories. It fails after its first animal. */
async function failToImport() {
  const { pets } = opened.store.app
  const { putBack } = pets
  pets.putBack = (pet) => {
    if (pet.name === 'Tom') throw new Error('no')
    putBack(pet)
  }
  const { status } = await send('name,categoryId,category\nFido,1,Chien\nTom,2,Dog\n')
  pets.putBack = putBack
  expect([status, (await opened.store.call('GET', '/v1/pets?q=fido')).json]).toEqual([500, []])
}

test('the animals that an interrupted import has added are removed by the next server', async () => {
  await interrupt(3)
  expect((await opened.store.call('GET', '/v1/imports/1')).json.state).toBe('running')
  await opened.restart()
  await untilRemoved()
  const { key } = await opened.store.newKey({ scopes: ['admin'] })
  expect((await opened.store.call('GET', '/v1/pets', { key })).json).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports', { key })).json).toEqual([])
  const events = (await opened.store.call('GET', '/v1/events?types=pet.*,import.*', { key })).json
  expect(events).toEqual([
    expect.objectContaining({
      type: 'import.failed',
      requestId: null,
      data: { id: 1, imported: 3, skipped: 0, firstPetId: 1, lastPetId: 3 },
    }),
  ])
  expect((await opened.store.call('GET', '/v1/pets?importId=1', { key })).json).toEqual([])
})

test('the animals of an interrupted import that were ordered or changed stay, and are listed as its animals', async () => {
  await interrupt(5)
  const { call } = opened.store
  await call('POST', '/v1/store/orders', { body: { petId: 1 } })
  await call('PATCH', '/v1/pets/2', { body: { name: 'Ada' } })
  await untilRemoved()
  // What was written before is on disk then.
  await opened.store.newKey()
  expect(await names()).toEqual(['Half 0', 'Ada'])
  const listed = (await call('GET', '/v1/pets?importId=1')).json
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(['Half 0', 'Ada'])
  const events = (await call('GET', '/v1/events?types=import.*')).json
  expect(events).toEqual([expect.objectContaining({ type: 'import.failed', data: expect.objectContaining({ id: 1 }) })])
  expect((await call('GET', '/v1/imports')).json).toEqual([expect.objectContaining({ id: 1, state: 'undone' })])
  expect((await call('DELETE', '/v1/imports/1')).json.message).toBe('Import 1 was undone already.')
})

test('an interrupted import cannot be undone, because it is removed without that', async () => {
  await interrupt(3)
  const { status, json } = await opened.store.call('DELETE', '/v1/imports/1')
  expect([status, json.code, json.message]).toEqual([409, 'conflict', expect.stringContaining('is not complete')])
  await untilRemoved()
  expect(await names()).toEqual([])
  expect((await opened.store.call('GET', '/v1/imports')).json).toEqual([])
})

test('a service that stops while it removes an interrupted import reports no failure', async () => {
  await interrupt(3)
  const { pets, runningImports, jobs } = opened.store.app
  const { remove } = pets
  const stopped = Promise.withResolvers<void>()
  pets.remove = (pet) => {
    remove(pet)
    // The step is over.
    opened.store.clock.advance(10)
    void runningImports.stop().then(stopped.resolve)
  }
  opened.store.clock.advance(1_000)
  await stopped.promise
  await jobs.stop()
  expect(jobs.states().filter(({ failures }) => failures > 0)).toEqual([])
  expect(opened.store.app.imports.unfinished()).toEqual([1])
})

test('the default categories that an import has replaced return when it is removed', async () => {
  await failToImport()
  expect(await categoryNames()).toEqual(defaults)
})

test('they also return if an earlier import was undone', async () => {
  await send('name,category\nAda,Dog\n')
  await opened.store.call('DELETE', '/v1/imports/1')
  await failToImport()
  expect(await categoryNames()).toEqual(defaults)
})

test('a default category that another import has replaced does not return while its animals are there', async () => {
  await send('name,categoryId,category\nRex,10,Dog\n')
  await opened.store.call('PUT', '/v1/categories/10', { body: { name: 'Hound' } })
  await failToImport()
  expect(await categoryNames()).toEqual([...defaults.slice(1), 'Hound'])
})
