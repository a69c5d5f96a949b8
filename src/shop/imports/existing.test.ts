import { beforeEach, expect, test } from 'bun:test'
import { importsPerTest } from './testing/per-test.ts'

const { opened, send } = importsPerTest()

const first =
  'number,name,category,status,breed\nA1,Rex,Dog,available,Lab\nA2,Mia,Cat,available,Manx\nA3,Bo,Dog,sold,\n'
const updated =
  'number,name,category,status,breed,color\na1,Rex,Dog,sold,Lab,\nA2,Minka,Newt,,,Black\nA3,Bo,,,,\nA4,New,Dog,,,\n'
const update = (text: string, more = '') => send(text, `?existing=update${more}`)
const pets = async () =>
  (await opened.store.call('GET', '/v1/pets/profiles')).json.map(
    ({ pet, number, breed, color }: { pet: Record<string, unknown> } & Record<string, unknown>) =>
      [number, pet['name'], pet['categoryId'], pet['status'], breed, color].join(' '),
  )
const types = async (filter: string) =>
  (await opened.store.call('GET', `/v1/events?types=${filter}&limit=100`)).json.map(
    ({ type }: { type: string }) => type,
  )

beforeEach(async () => {
  await send(first)
})

test('rows whose number an animal has are counted as already there, and change nothing', async () => {
  const { json } = await send(updated.replace('A3,Bo,,', 'A3,Bo,Dog,'))
  expect(json).toMatchObject({ imported: 1, changed: 0, unchanged: 0, alreadyThere: 3, newCategories: [] })
  expect(await pets()).toEqual([
    'A1 Rex 1 available Lab ',
    'A2 Mia 2 available Manx ',
    'A3 Bo 1 sold  ',
    'A4 New 1 available  ',
  ])
})

test('with existing=update they change that animal, empty cells change nothing, and a dry run says the same', async () => {
  const counts = { imported: 1, changed: 2, unchanged: 1, alreadyThere: 0, skipped: 0, newCategories: ['Newt'] }
  expect((await update(updated, '&dryRun=true')).json).toMatchObject(counts)
  expect(await pets()).toHaveLength(3)
  const { json } = await update(updated)
  expect(json).toMatchObject(counts)
  expect(await pets()).toEqual([
    'A1 Rex 1 sold Lab ',
    'A2 Minka 7 available Manx Black',
    'A3 Bo 1 sold  ',
    'A4 New 1 available  ',
  ])
  expect(await types('pet.*,profile.*')).toEqual(['pet.updated', 'pet.updated', 'profile.updated'])
  expect((await opened.store.call('GET', '/v1/imports/2')).json).toMatchObject({ imported: 1, changed: 2 })
  expect((await update(updated)).json).toMatchObject({ imported: 0, changed: 0, unchanged: 4 })
})

test('no note speaks of the status of animals that only change', async () => {
  const kinds = async (row: string) =>
    (await update(`number,name,category\n${row}\n`, '&dryRun=true')).json.notes.map(
      ({ kind }: { kind: string }) => kind,
    )
  expect([await kinds('A1,Rexi,Dog'), await kinds('A9,New,Dog')]).toEqual([[], ['no_status']])
})

test('a status that a rule or an order forbids is a problem of its row, and so is a new animal without a name', async () => {
  await opened.store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  const file = 'number,name,category,status\nA1,,,sold\nA3,,,pending\nA9,,Dog,\nA2,Mina,,\n'
  const rejected = await update(file, '&listInvalid=true')
  expect(rejected.json).toMatchObject({
    imported: 0,
    skipped: 3,
    rejection: expect.stringContaining('3 of 4 rows are invalid'),
    errors: [
      { line: 2, message: expect.stringMatching(/^status cannot change: Order 1 reserves animal 1/) },
      { line: 3, message: expect.stringMatching(/^status cannot change: An animal that is sold/) },
      { line: 4, message: 'name is blank' },
    ],
  })
  expect(await pets()).toEqual(['A1 Rex 1 pending Lab ', 'A2 Mia 2 available Manx ', 'A3 Bo 1 sold  '])
  expect((await update(file, '&skipInvalid=true')).json).toMatchObject({ imported: 0, changed: 1, skipped: 3 })
})

test('an undo puts back each changed member that still has the value of the import', async () => {
  await update(updated)
  await opened.store.call('PATCH', '/v1/pets/2/profile', { body: { color: 'Grey' } })
  const undone = await opened.store.call('DELETE', '/v1/imports/2')
  expect(undone.json).toMatchObject({ removed: 1, removedCategories: 1, restored: 1, notRestored: 1 })
  expect(await pets()).toEqual(['A1 Rex 1 available Lab ', 'A2 Mia 2 available Manx Grey', 'A3 Bo 1 sold  '])
})

test('an undo sets no status that a rule or an order forbids', async () => {
  await update('number,status\nA1,pending\nA2,pending\n')
  await opened.store.call('PATCH', '/v1/pets/1', { body: { status: 'available' } })
  await opened.store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  expect((await opened.store.call('DELETE', '/v1/imports/2')).json).toMatchObject({ restored: 1, notRestored: 1 })
  expect(await pets()).toEqual(['A1 Rex 1 pending Lab ', 'A2 Mia 2 available Manx ', 'A3 Bo 1 sold  '])
})

test('what is kept of old changes is removed, and is not put back then', async () => {
  await update('number,breed\nA2,Persian\n')
  const { imports, writer } = opened.store.app
  const nowMs = opened.store.clock.now()
  expect([nowMs - 1, nowMs].map(imports.hasChangesUntil)).toEqual([false, true])
  await writer.write(() => imports.removeChangesUntil(nowMs, 100))
  const undone = await opened.store.call('DELETE', '/v1/imports/2')
  expect(undone.json).toMatchObject({ restored: 0, notRestored: 0 })
})

test('a file may change at most 10,000 animals, and ends the transaction at the next one', async () => {
  const rows = (breed: string) => Array.from({ length: 11_000 }, (_, i) => `N${i},Rex,Dog,${breed}\n`).join('')
  await send(`number,name,category,breed\n${rows('Lab')}`)
  const { profiles } = opened.store.app
  const { put } = profiles
  let changed = 0
  profiles.put = (profile) => {
    changed++
    put(profile)
  }
  const { status, json } = await update(`number,name,category,breed\n${rows('Poodle')}`)
  expect([status, json.code, json.message]).toEqual([413, 'payload_too_large', expect.stringContaining('10,000')])
  expect(changed).toBeLessThanOrEqual(10_000)
  expect((await opened.store.call('GET', '/v1/pets/profiles?q=poodle')).json).toEqual([])
})

test('a dry run says that nearly all animals of a file are there already, by number or by name and category', async () => {
  const notes = async (text: string) =>
    (await send(text, '?dryRun=true')).json.notes.flatMap(({ kind, message }: Record<string, string>) =>
      kind === 'already_there' ? message : [],
    )
  expect(await notes(first)).toEqual(['All 3 animals of the file are in the store already, with the same number.'])
  const many = Array.from({ length: 18 }, (_, i) => `Pet ${i},Dog\n`).join('')
  await send(`name,category\n${many}`)
  expect(await notes(`name,category\n${many}New,Dog\nOther,Dog\n`)).toEqual([
    '18 of 20 animals of the file are in the store already, with the same name and category, or the same number.',
  ])
  expect(await notes(`name,category\n${many}New,Dog\nOther,Dog\nThird,Dog\n`)).toEqual([])
})
