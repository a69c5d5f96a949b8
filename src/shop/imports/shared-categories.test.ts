import { expect, test } from 'bun:test'
import { categoryRow } from '../categories/testing/category-row.ts'
import { importsPerTest, rows } from './testing/per-test.ts'

const { opened, send, interrupt, begin, untilRemoved, categoryOf } = importsPerTest()

/** A file whose last animal alone has a category that the store does not have. */
const withFerret = `name,category\n${rows(1_000)}Frida,Ferret\n`

test('undoing an import keeps its category for the animals of an import that is being added', async () => {
  await send('name,category\nFred,Ferret\n')
  const importing = await begin(withFerret)
  expect((await opened.store.call('DELETE', '/v1/imports/1')).json).toMatchObject({ removed: 1 })
  expect((await opened.store.call('POST', '/v1/categories', { body: { name: 'Snake' } })).status).toBe(201)
  expect((await importing.response).status).toBe(201)
  expect(await categoryOf('frida')).toBe('Ferret')
})

/** An interrupted import that has added a category. */
async function interruptWithFerret() {
  const { id } = await interrupt(3, 7)
  const { categories, writer } = opened.store.app
  await writer.write(() => categories.add(categoryRow({ id: 7, name: 'Ferret' }), id))
}

test('a file that is sent again after its import was interrupted has its own categories', async () => {
  await interruptWithFerret()
  const importing = await begin(withFerret)
  await untilRemoved()
  expect((await importing.response).status).toBe(201)
  expect((await opened.store.call('GET', '/v1/imports')).json).toMatchObject([{ id: 2, state: 'completed' }])
  expect((await opened.store.call('GET', '/v1/pets/count')).json.count).toBe(1_001)
  expect(await categoryOf('frida')).toBe('Ferret')
  await opened.store.call('DELETE', '/v1/imports/2')
  expect((await opened.store.call('GET', '/v1/categories')).json).toHaveLength(6)
})

test('an undo over HTTP removes the categories, also if another import was interrupted', async () => {
  await send('name,category\nRoger,Rabbit\n')
  await interrupt(3)
  expect((await opened.store.call('DELETE', '/v1/imports/1')).json).toMatchObject({ removed: 1 })
  expect((await opened.store.call('GET', '/v1/categories')).json).toHaveLength(6)
})
