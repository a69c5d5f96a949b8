import { describe, expect, test } from 'bun:test'
import type { Animal } from '../filters.ts'
import { createAnimalList } from './animal-list.ts'

/** A store of animals with pages of three, whose cursor is the last id before the page. */
function createStore(count: number, order: 'asc' | 'desc' = 'asc') {
  let pets: Animal[] = Array.from({ length: count }, (_, index) => animal(index + 1))
  let requests = 0
  const sorted = () => pets.toSorted((a, b) => (order === 'asc' ? a.id - b.id : b.id - a.id))
  return {
    list: createAnimalList(order, (cursor) => {
      requests++
      const after = cursor === undefined ? undefined : Number(cursor)
      const rest = sorted().filter(({ id }) => after === undefined || (order === 'asc' ? id > after : id < after))
      const items = rest.slice(0, 3)
      return Promise.resolve({ items, next: rest.length > 3 ? String(items.at(-1)?.id) : undefined })
    }),
    sorted,
    change: (change: (pets: Animal[]) => Animal[]) => {
      pets = change(pets)
    },
    requests: () => requests,
  }
}

function animal(id: number, name = `Animal ${id}`): Animal {
  const profile = { number: null, breed: null, price: null, currency: null, published: true, photo: undefined }
  return { id, name, categoryId: 1, status: 'available', ...profile }
}

async function load({ list }: ReturnType<typeof createStore>, pages: number): Promise<void> {
  for (let page = 0; page < pages; page++) await list.loadMore()
}

const ids = (rows: readonly Animal[]) => rows.map(({ id }) => id)

test('pages are appended until the last one, and not requested beyond it', async () => {
  const store = createStore(7)
  await load(store, 5)
  expect(ids(store.list.state.get().rows)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(store.list.state.get().isComplete).toBe(true)
  expect(store.requests()).toBe(3)
})

describe('after a change elsewhere', () => {
  test('the visible rows are fetched again, and the others when they become visible', async () => {
    const store = createStore(9)
    await load(store, 3)
    store.change((pets) => pets.map(({ id }) => animal(id, `New ${id}`)))
    store.list.invalidate()
    await store.list.refresh(3, 5)
    expect(
      store.list.state
        .get()
        .rows.map(({ name }) => name.slice(0, 3))
        .join(' '),
    ).toBe('Ani Ani Ani New New New Ani Ani Ani')
    await store.list.refresh(0, 8)
    expect(store.list.state.get().rows).toEqual(store.sorted())
    const before = store.requests()
    await store.list.refresh(0, 8)
    expect(store.requests()).toBe(before)
  })

  for (const order of ['asc', 'desc'] as const) {
    test(`removed and added rows leave no gap and no duplicate, ordered ${order}`, async () => {
      const store = createStore(9, order)
      store.change((pets) => pets.filter(({ id }) => id !== 5))
      await load(store, 3)
      store.change((pets) => [...pets.filter(({ id }) => id !== 2 && id !== 8), animal(5), animal(10), animal(11)])
      store.list.invalidate()
      await store.list.refresh(0, 7)
      await load(store, 3)
      expect(ids(store.list.state.get().rows)).toEqual(ids(store.sorted()))
    })
  }

  test('a change during a refresh is fetched by another one that follows', async () => {
    const store = createStore(3)
    await load(store, 1)
    store.change((pets) => pets.map(({ id }) => animal(id, `New ${id}`)))
    store.list.invalidate()
    const refreshing = store.list.refresh(0, 2)
    store.change((pets) => pets.map(({ id }) => animal(id, `Newer ${id}`)))
    store.list.invalidate()
    await store.list.refresh(0, 2)
    await refreshing
    expect(store.list.state.get().rows).toEqual(store.sorted())
  })

  test('a list that became empty is empty', async () => {
    const store = createStore(4)
    await load(store, 2)
    store.change(() => [])
    store.list.invalidate()
    await store.list.refresh(0, 3)
    expect(store.list.state.get()).toMatchObject({ rows: [], isComplete: true })
  })
})

test('a list that is sorted by name is fetched again from the visible page on, and later rows when they are loaded', async () => {
  let names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const idOf = (name: string) => name.charCodeAt(0)
  let requests = 0
  const list = createAnimalList(undefined, (cursor = '') => {
    requests++
    const rest = names.toSorted().filter((name) => name > cursor)
    const items = rest.slice(0, 3).map((name) => animal(idOf(name), name))
    return Promise.resolve({ items, next: rest.length > 3 ? rest[2] : undefined })
  })
  const shown = () =>
    list.state
      .get()
      .rows.map(({ name }) => name)
      .join('')
  await list.loadAll()
  names = ['a', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'ê']
  list.invalidate()
  await list.refresh(3, 5)
  expect(shown()).toBe('abcdef')
  await list.loadAll()
  expect(shown()).toBe('abcdefghiê')
  const before = requests
  await list.refresh(3, 8)
  expect(requests).toBe(before)
  await list.refresh(0, 8)
  expect(shown().slice(0, 8)).toBe('acdefghi')
})

test('a failed page is reported and can be loaded again', async () => {
  let isBroken = true
  const list = createAnimalList('asc', () =>
    isBroken ? Promise.reject(new Error('broken')) : Promise.resolve({ items: [animal(1)], next: undefined }),
  )
  await list.loadMore()
  expect(list.state.get()).toMatchObject({ rows: [], isLoading: false, isComplete: false })
  expect(list.state.get().error).toBeInstanceOf(Error)
  isBroken = false
  await list.loadMore()
  expect(list.state.get()).toMatchObject({ error: undefined, isComplete: true })
})
