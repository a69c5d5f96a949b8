import { afterEach, beforeEach, expect, test } from 'bun:test'
import { attachCommand } from '../../api/context.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
  for (const name of ['Ada', 'Bella', 'Chuy']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 2 } })
})
afterEach(() => store.close())

const patch = (id: number, body: unknown, headers: Record<string, string> = {}) =>
  store.call('PATCH', `/v1/pets/${id}/profile`, { body, headers })
const get = async (id: number) => (await store.call('GET', `/v1/pets/${id}/profile`)).json
const list = async (query: string) =>
  (await store.call('GET', `/v1/pets/profiles?${query}`)).json.map(({ petId }: { petId: number }) => petId)
const setCurrency = (currency: string | null) => store.call('PATCH', '/v1/store/settings', { body: { currency } })

const empty = {
  number: null,
  breed: null,
  color: null,
  sex: null,
  birthDate: null,
  microchip: null,
  price: null,
  currency: null,
  description: null,
  attributes: [],
  published: true,
  photos: [],
  updatedAt: null,
}

test('every animal has a profile, which is empty until it is changed', async () => {
  const pet = { id: 2, name: 'Bella', categoryId: 2, status: 'available' }
  expect(await get(2)).toEqual({ petId: 2, pet, ...empty })
  expect((await store.call('GET', '/v1/pets/profiles?limit=1')).json).toMatchObject([{ petId: 1, ...empty }])
  expect((await store.call('GET', '/v1/pets/9/profile')).json.code).toBe('not_found')
  expect((await patch(9, {})).json.code).toBe('not_found')
})

test('a change keeps the other members, and null removes a value', async () => {
  await setCurrency('EUR')
  const whole = {
    number: ' A-1 ',
    breed: 'Maine Coon',
    color: 'Red',
    sex: 'female',
    birthDate: '2026-03',
    microchip: ' 276 098 ',
    price: 0,
    description: 'One\r\ntwo ',
    attributes: [
      { label: 'Vaccinated ', text: ' yes' },
      { label: 'Chipped', text: 'no' },
    ],
    published: false,
  }
  const stored = {
    ...whole,
    number: 'A-1',
    microchip: '276098',
    description: 'One\ntwo',
    attributes: [
      { label: 'Vaccinated', text: 'yes' },
      { label: 'Chipped', text: 'no' },
    ],
    currency: 'EUR',
    updatedAt: '2026-11-20T10:15:00.000Z',
  }
  expect((await patch(1, whole)).json).toMatchObject(stored)
  expect(await get(1)).toMatchObject(stored)
  store.clock.advance(1_000)
  const changed = await patch(1, { number: null, price: null, description: ' ', attributes: [] })
  const without = { number: null, price: null, currency: null, description: null, attributes: [] }
  expect(changed.json).toMatchObject({ ...stored, ...without, updatedAt: '2026-11-20T10:15:01.000Z' })
  // As it was read, with the members that the server alone sets.
  expect((await patch(1, changed.json)).json).toEqual(changed.json)
})

test.each([
  [{ number: '' }, 'number must not be blank, or null.'],
  [{ number: 'x'.repeat(41) }, 'number must have at most 40 characters, or null.'],
  [{ breed: 'x'.repeat(101) }, 'breed must have at most 100 characters, or null.'],
  [{ color: 'x'.repeat(61) }, 'color must have at most 60 characters, or null.'],
  [{ sex: 'unknown' }, 'sex must be one of female, male, or null.'],
  [
    { birthDate: '14.03.2024' },
    'birthDate must be a year, a month or a day, such as 2024, 2024-03 or 2024-03-14, or null.',
  ],
  [{ birthDate: '2023-02-29' }, 'birthDate must be a day that exists, or null.'],
  [{ birthDate: '2026-11-22' }, 'birthDate must not be in the future.'],
  [{ birthDate: '2027' }, 'birthDate must not be in the future.'],
  [
    { microchip: '276-098' },
    'microchip must have 1 to 30 letters and digits; spaces between them are ignored, or null.',
  ],
  [
    { microchip: '1'.repeat(31) },
    'microchip must have 1 to 30 letters and digits; spaces between them are ignored, or null.',
  ],
  [{ price: -1 }, 'price must be an integer from 0 to 1000000000000, or null.'],
  [{ price: 49.9 }, 'price must be an integer from 0 to 1000000000000, or null.'],
  [{ price: 1e12 + 1 }, 'price must be an integer from 0 to 1000000000000, or null.'],
  [{ description: 'x'.repeat(5_001) }, 'description must have at most 5000 characters, or null.'],
  [{ attributes: null }, 'attributes must be a list of 0 to 20 different values.'],
  [{ attributes: [{ label: 'A' }] }, 'attributes.0.text is required.'],
  [{ attributes: [{ label: 'x'.repeat(41), text: 'y' }] }, 'attributes.0.label must have at most 40 characters.'],
  [{ attributes: [{ label: 'A', text: 'x'.repeat(201) }] }, 'attributes.0.text must have at most 200 characters.'],
  [
    {
      attributes: [
        { label: 'Size', text: 'y' },
        { label: 'SIZE', text: 'z' },
      ],
    },
    'attributes must have different labels: "SIZE" occurs twice.',
  ],
  [{ published: null }, 'published must be true or false.'],
  [{ prize: 1 }, '`prize`: did you mean `price`?'],
])('a change that breaks a rule names it: %j', async (body, message) => {
  expect((await patch(1, body)).json).toEqual({ code: 'invalid_body', message, status: 400 })
  expect(await get(1)).toMatchObject(empty)
})

test('more than 20 attributes are rejected', async () => {
  const attributes = Array.from({ length: 21 }, (_, i) => ({ label: `Label ${i}`, text: 'x' }))
  expect((await patch(1, { attributes: attributes.slice(1) })).status).toBe(200)
  expect((await patch(1, { attributes })).json.message).toBe('attributes must be a list of 0 to 20 different values.')
})

test('an animal can be born today in any time zone', async () => {
  expect((await patch(1, { birthDate: '2026-11-21' })).status).toBe(200)
})

test('a number belongs to one animal, ignoring case', async () => {
  await patch(1, { number: 'A-1' })
  const taken = await patch(2, { number: 'a-1' })
  expect(taken.json).toEqual({ code: 'conflict', message: 'Animal 1 already has the number a-1.', status: 409 })
  expect((await patch(1, { number: 'a-1' })).json.number).toBe('a-1')
})

test('the number of a deleted animal is free, and a restored animal has its profile again', async () => {
  await patch(1, { number: 'A-1', breed: 'Persian' })
  await store.call('DELETE', '/v1/pets/1')
  expect(await list('number=A-1')).toEqual([])
  expect((await patch(2, { number: 'A-1' })).status).toBe(200)
  const conflict = await store.call('POST', '/v1/pets/1/restore')
  expect([conflict.status, conflict.json.message]).toEqual([
    409,
    expect.stringContaining('Animal 2 has the number A-1'),
  ])
  const batch = await store.call('POST', '/v1/pets/batch', { body: { ids: [1], restore: true } })
  expect(batch.json).toMatchObject([{ id: 1, done: false, code: 'conflict' }])
  await patch(2, { number: null })
  expect((await store.call('POST', '/v1/pets/1/restore')).status).toBe(200)
  expect(await get(1)).toMatchObject({ number: 'A-1', breed: 'Persian' })
  expect((await patch(2, { number: 'A-1' })).status).toBe(409)
})

test('the profile of an animal that cannot be restored any more is removed', async () => {
  await patch(1, { number: 'A-1' })
  await store.call('DELETE', '/v1/pets/1')
  expect(store.app.profiles.find(1)).toBeDefined()
  store.clock.advance(600_000)
  await new Promise((resolve) => setImmediate(resolve))
  store.clock.advance(10_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(store.app.deletedPets.find(1)).toBeUndefined()
  expect(store.app.profiles.find(1)).toBeUndefined()
})

test('a price needs a currency, which can be changed but not removed', async () => {
  const refused = await patch(1, { price: 100 })
  expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining('PATCH /v1/store/settings')])
  expect((await store.call('GET', '/v1/store/settings')).json).toEqual({ currency: null })
  expect((await setCurrency(null)).json).toEqual({ currency: null })
  expect((await setCurrency('EUR')).json).toEqual({ currency: 'EUR' })
  expect((await patch(1, { price: 100 })).json).toMatchObject({ price: 100, currency: 'EUR' })
  await setCurrency('JPY')
  expect(await get(1)).toMatchObject({ price: 100, currency: 'JPY' })
  expect((await setCurrency(null)).json).toMatchObject({ code: 'invalid_body' })
  for (const currency of ['XYZ', 'eur', 'XAU']) {
    const message = 'currency must be the code of a currency in circulation (ISO 4217), such as EUR, or null.'
    expect((await setCurrency(currency)).json).toMatchObject({ code: 'invalid_body', message })
  }
  const { key } = await store.newKey({ scopes: ['pets:read', 'pets:write'] })
  const body = { currency: 'USD' }
  expect((await store.call('PATCH', '/v1/store/settings', { key, body })).status).toBe(403)
})

test('If-Match protects a profile against a lost change, and a change of the animal does not change its ETag', async () => {
  const etag = async () => (await store.call('GET', '/v1/pets/1/profile')).headers.get('etag') ?? ''
  const first = await etag()
  await store.call('PATCH', '/v1/pets/1', { body: { name: 'Adele' } })
  expect(await etag()).toBe(first)
  expect(await get(1)).toMatchObject({ pet: { name: 'Adele' } })
  const changed = await patch(1, { breed: 'Persian' }, { 'If-Match': first })
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, await etag()])
  expect((await patch(1, { breed: 'Siamese' }, { 'If-Match': first })).status).toBe(412)
})

test('a change of a profile is an event, and one that changes nothing is none', async () => {
  const newest = async () => (await store.call('GET', '/v1/events?order=desc&limit=1')).json[0]
  await patch(1, { breed: 'Persian', sex: 'male' })
  const data = { petId: 1, changed: ['breed', 'sex'], updatedAt: '2026-11-20T10:15:00.000Z' }
  expect(await newest()).toMatchObject({ type: 'profile.updated', data })
  const { id } = await newest()
  await patch(1, { breed: ' Persian ', number: null })
  await patch(2, {})
  expect((await newest()).id).toBe(id)
  expect(await get(2)).toMatchObject(empty)
})

test('the list has every filter, in both orders, and they count what it has', async () => {
  await setCurrency('EUR')
  await patch(1, { number: 'A-1', breed: 'Köter', sex: 'male', microchip: '276 1' })
  await patch(3, { number: 'B-10', sex: 'female', published: false, price: 5, description: 'Nice' })
  await store.call('PATCH', '/v1/pets/2', { body: { status: 'sold', categoryId: 7 } })
  for (const [query, ids] of [
    ['', [1, 2, 3]],
    ['order=desc', [3, 2, 1]],
    ['ids=3,1', [1, 3]],
    ['ids=3,1&order=desc', [3, 1]],
    ['ids=1,2,3&sex=male', [1]],
    ['status=sold', [2]],
    ['categoryId=2', [1, 3]],
    ['categoryId=2&sex=female', [3]],
    ['number=b-10', [3]],
    ['number=b-1', []],
    ['number=B-10&status=sold', []],
    ['microchip=2761', [1]],
    ['microchip=27%2061', [1]],
    ['sex=female', [3]],
    ['published=false', [3]],
    ['published=true', [1, 2]],
    ['lacks=price', [1, 2]],
    ['lacks=photos', [1, 2, 3]],
    ['lacks=description&order=desc', [2, 1]],
    ['lacks=price&sex=male&published=true&q=koter', [1]],
    ['q=bell', [2]],
    ['q=KOTER', [1]],
    ['q=b', [2, 3]],
    ['q=2761', [1]],
    ['q=1', [1, 3]],
    ['importId=1', []],
  ] as const) {
    expect([query, await list(query)]).toEqual([query, [...ids]])
    if (/order|importId/.test(query)) continue
    const counted = await store.call('GET', `/v1/pets/profiles/count?${query}`)
    expect([query, counted.json]).toEqual([query, { count: ids.length, exact: true }])
  }
  for (const query of ['lacks=name', 'published=1', 'sex=x', 'microchip=-', 'number=', 'sort=name', 'breed=x']) {
    expect((await store.call('GET', `/v1/pets/profiles?${query}`)).json.code).toBe('invalid_parameter')
  }
})

test('pages of a filtered list have every animal once', async () => {
  for (let id = 4; id <= 30; id++) await store.call('POST', '/v1/pets', { body: { name: `Rex ${id}`, categoryId: 2 } })
  for (let id = 1; id <= 30; id += 2) await patch(id, { sex: 'male' })
  for (const order of ['asc', 'desc']) {
    const found: number[] = []
    let path: string | undefined = `/v1/pets/profiles?sex=male&limit=4&order=${order}`
    while (path !== undefined) {
      const { json, headers } = await store.call('GET', path)
      found.push(...json.map(({ petId }: { petId: number }) => petId))
      path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '')
    }
    const expected = Array.from({ length: 15 }, (_, i) => 1 + 2 * i)
    expect(found).toEqual(order === 'asc' ? expected : expected.reverse())
  }
})

test('a cached page is made anew after each change that it shows', async () => {
  const first = async () => (await store.call('GET', '/v1/pets/profiles?limit=1')).json[0]
  await first()
  await store.call('PATCH', '/v1/pets/1', { body: { name: 'Adele' } })
  expect(await first()).toMatchObject({ pet: { name: 'Adele' } })
  await setCurrency('EUR')
  await patch(1, { price: 7 })
  expect(await first()).toMatchObject({ price: 7, currency: 'EUR' })
  await setCurrency('USD')
  expect(await first()).toMatchObject({ price: 7, currency: 'USD' })
  await store.call('DELETE', '/v1/pets/1')
  expect(await first()).toMatchObject({ petId: 2 })
})

test('a change of a profile does not touch the animal, and its import is kept when it is undone', async () => {
  const headers = { 'Content-Type': 'text/csv' }
  await store.call('POST', '/v1/imports', { rawBody: 'name,category\nDea,Dog\nEve,Dog\n', headers })
  const etag = (await store.call('GET', '/v1/pets/4')).headers.get('etag')
  await patch(4, { breed: 'Boxer' })
  expect((await store.call('GET', '/v1/pets/4')).headers.get('etag')).toBe(etag)
  expect(await list('importId=1')).toEqual([4, 5])
  expect((await store.call('DELETE', '/v1/imports/1')).json).toMatchObject({ removed: 1, changed: 1 })
  expect(await get(4)).toMatchObject({ breed: 'Boxer' })
})

test('a key needs a scope to read profiles, and another to change them', async () => {
  const reader = await store.newKey({ scopes: ['pets:read'] })
  const other = await store.newKey({ scopes: ['orders:read'] })
  expect((await store.call('GET', '/v1/pets/1/profile', { key: reader.key })).status).toBe(200)
  expect((await store.call('GET', '/v1/store/settings', { key: reader.key })).status).toBe(200)
  expect((await store.call('PATCH', '/v1/pets/1/profile', { key: reader.key, body: {} })).status).toBe(403)
  for (const path of ['/v1/pets/1/profile', '/v1/pets/profiles', '/v1/store/settings']) {
    expect((await store.call('GET', path, { key: other.key })).status).toBe(403)
  }
})

test('of two animals that get the same number at the same time one gets it', async () => {
  const statuses = (await Promise.all([1, 2, 3].map((id) => patch(id, { number: 'A-1' })))).map(({ status }) => status)
  expect(statuses).toEqual([200, 409, 409])
})

test('a batch changes several profiles, each by the rules of one, with an event and one entry in the audit log', async () => {
  const batch = (body: object, headers: Record<string, string> = {}) =>
    store.call('POST', '/v1/pets/profiles/batch', { body, headers })
  const change = { breed: ' Boxer ', published: false }
  const { status, json } = await batch({ ids: [3, 9, 1], change }, { 'Idempotency-Key': 'a' })
  expect(status).toBe(200)
  expect(json).toMatchObject([
    { id: 3, done: true, profile: { petId: 3, breed: 'Boxer', published: false }, code: null, message: null },
    { id: 9, done: false, profile: null, code: 'not_found', message: 'There is no animal 9.' },
    { id: 1, done: true, profile: { petId: 1, breed: 'Boxer' }, code: null, message: null },
  ])
  const events = (await store.call('GET', '/v1/events?types=profile.*')).json
  expect(events.map(({ data }: { data: { petId: number } }) => data.petId)).toEqual([3, 1])
  await patch(1, { breed: null })
  expect((await batch({ ids: [3, 9, 1], change }, { 'Idempotency-Key': 'a' })).json).toEqual(json)
  expect(await get(1)).toMatchObject({ breed: null })
  const priced = await batch({ ids: [1], change: { price: 1 } })
  expect(priced.json).toMatchObject([{ id: 1, done: false, code: 'conflict' }])
})

test.each([
  [{ ids: [1], change: { number: 'A' } }, 'There is no member `change.number` here'],
  [{ ids: [1], change: { birthDate: '2027' } }, 'birthDate must not be in the future.'],
  [{ ids: [1, 1], change: {} }, 'ids must be a list of 1 to 100 different values.'],
  [{ ids: [1] }, 'change is required.'],
])('a batch that breaks a rule changes nothing: %j', async (body, message) => {
  const { json } = await store.call('POST', '/v1/pets/profiles/batch', { body })
  expect(json).toMatchObject({ code: 'invalid_body', message: expect.stringContaining(message) })
})

test('the audit log has the changes of profiles and settings by the owner and by commands', async () => {
  async function command(method: string, path: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost/v1${path}`, { method, headers, body: JSON.stringify(body) })
    attachCommand(request, 0)
    expect((await store.app.api.fetch(request)).status).toBe(200)
  }
  await command('PATCH', '/store/settings', { currency: 'EUR' })
  await command('PATCH', '/pets/1/profile', { price: 5 })
  await command('POST', '/pets/profiles/batch', { ids: [1, 2, 9], change: { price: 7 } })
  const entries = (await store.call('GET', '/v1/audit?limit=3')).json
  expect(entries.map(({ action, details }: Record<string, unknown>) => ({ action, details }))).toEqual(
    expect.arrayContaining([
      { action: 'settings.changed', details: { currency: 'EUR', previous: { currency: null } } },
      { action: 'pet.described', details: { petId: 1, price: 5, previous: { price: null } } },
      { action: 'pet.described', details: { petIds: [1, 2], price: 7 } },
    ]),
  )
})
