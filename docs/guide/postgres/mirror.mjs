/**
 * Keeps a copy of the animals, categories and orders of a store in PostgreSQL. It needs Bun, and a key with the scopes
 * pets:read and orders:manage:
 *
 *     PETSTORE_URL=https://api.shop.example PETSTORE_KEY=pet_live_… DATABASE_URL=postgres://… bun mirror.mjs
 *
 * A change and the position in the events of the store are one transaction: after a crash it goes on where it was.
 */

import { SQL } from 'bun'

const { PETSTORE_URL: store, PETSTORE_KEY: key, DATABASE_URL: database } = process.env
const types = 'pet.*,category.*,import.*,order.*'
const sql = new SQL(database)

/** Every record as the API returns it, and the members by which reports select. */
const tables = `
  create table if not exists animals (
    id bigint primary key,
    record jsonb not null,
    name text generated always as (record->>'name') stored,
    category_id bigint generated always as ((record->>'categoryId')::bigint) stored,
    status text generated always as (record->>'status') stored
  );
  create index if not exists animals_category on animals (category_id, status);
  create table if not exists categories (
    id bigint primary key,
    record jsonb not null,
    name text generated always as (record->>'name') stored
  );
  create table if not exists orders (
    id bigint primary key,
    record jsonb not null,
    animal_id bigint generated always as ((record->>'petId')::bigint) stored,
    account_id bigint generated always as ((record->>'accountId')::bigint) stored,
    status text generated always as (record->>'status') stored,
    created_at text generated always as (record->>'createdAt') stored
  );
  create table if not exists mirror_position (last_event bigint not null);
`

/** Waits where the store asks for it, and while it is away. Throws an error with a status if it refuses. */
async function get(path, signal, resume = {}) {
  for (;;) {
    const sent = { headers: { Authorization: `Bearer ${key}`, ...resume }, signal }
    const response = await fetch(store + path, sent).catch((error) => {
      if (signal?.aborted) throw error
      console.error(error.message)
    })
    if (response?.ok) return response
    const text = await response?.text()
    const { status = 503, headers } = response ?? {}
    if (status !== 429 && status < 500) throw Object.assign(new Error(`${path}: ${text}`), { status })
    await Bun.sleep(1_000 * (headers?.get('retry-after') ?? 1))
  }
}

/** Calls `use` with each page of a list. */
async function eachPage(path, use) {
  for (let next = path; next; ) {
    const page = await get(next)
    await use(await page.json())
    next = /(\/v1\/[^>]+)>; rel="next"/.exec(page.headers.get('link'))?.[1] // the key goes nowhere else
  }
}

/** Adds or replaces records. The number of animals of a category is left out: it changes without an event. */
const put = (tx, table, records) => tx`
  insert into ${tx(table)} (id, record)
  select (record->>'id')::bigint, record - 'petCount'
  from jsonb_array_elements(${JSON.stringify(records)}::text::jsonb) record
  on conflict (id) do update set record = excluded.record`

/** All pages in one transaction: readers see the old copy until the new one is whole. */
async function readAll() {
  // The newest event first: what changes while the pages are read comes as an event, too.
  const [newest] = await (await get('/v1/events?order=desc&limit=1')).json()
  await sql.begin(async (tx) => {
    await tx`delete from animals`
    await tx`delete from orders`
    await tx`delete from mirror_position`
    await eachPage('/v1/pets?limit=100', (animals) => put(tx, 'animals', animals))
    await eachPage('/v1/store/orders?limit=100', (orders) => put(tx, 'orders', orders))
    await readCategories(tx)
    await tx`insert into mirror_position values (${newest?.id ?? 0})`
  })
}

async function readCategories(tx) {
  await tx`delete from categories`
  await eachPage('/v1/categories?limit=100', (categories) => put(tx, 'categories', categories))
  await tx`delete from categories where name is null`
}

async function apply(tx, { type, data }) {
  if (type === 'pet.deleted') await tx`delete from animals where id = ${data.id}`
  else if (type.startsWith('pet.')) await put(tx, 'animals', [data])
  else if (type.startsWith('order.')) await put(tx, 'orders', [data])
  else if (type === 'category.deleted') await tx`delete from categories where id = ${data.id}`
  else if (type === 'category.merged') {
    // Read, not computed: the copy may have been read after this event, and animals may have moved on since.
    await eachPage(`/v1/pets?categoryId=${data.into}&limit=100`, (animals) => put(tx, 'animals', animals))
    await tx`delete from categories where id = ${data.id}`
  } else if (type.startsWith('category.')) await put(tx, 'categories', [data])
  else if (type.startsWith('import.')) {
    // Its animals have no events of their own.
    await tx`delete from animals where id between ${data.firstPetId ?? 0} and ${data.lastPetId ?? 0}`
    await eachPage(`/v1/pets?importId=${data.id}&limit=100`, (animals) => put(tx, 'animals', animals))
    await readCategories(tx)
  }
}

/** Applies events from a position on until the stream ends. */
async function follow(position) {
  const silence = new AbortController() // a heartbeat comes every 15 seconds
  const timer = setTimeout(() => silence.abort(), 45_000)
  try {
    const { body } = await get(`/v1/events/stream?types=${types}`, silence.signal, { 'Last-Event-ID': position })
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      timer.refresh()
      const messages = (text + chunk).split('\n\n')
      text = messages.pop()
      await sql.begin(async (tx) => {
        for (const message of messages) {
          const data = /^data: (.*)$/m.exec(message)?.[1]
          if (data) await apply(tx, JSON.parse(data))
          const id = /^id: (.*)$/m.exec(message)?.[1]
          if (id) await tx`update mirror_position set last_event = ${id}`
        }
      })
    }
  } finally {
    clearTimeout(timer)
  }
}

await sql.unsafe(tables)
for (;;) {
  try {
    const [row] = await sql`select last_event from mirror_position`
    await (row ? follow(row.last_event) : readAll())
  } catch (error) {
    // 410: what followed the position is lost, so begin again. Others do not pass by themselves: a key was revoked.
    if (error.status === 410) await sql`delete from mirror_position`
    else if (error.status) throw error
    else console.error(error.message)
  }
  await Bun.sleep(100)
}
