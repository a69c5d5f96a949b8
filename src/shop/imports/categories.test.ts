import { describe, expect, test } from 'bun:test'
import { importsPerTest } from './testing/per-test.ts'

const { opened, load, allPets, addCategory, newCategories } = importsPerTest()

describe('a new category gets the next id', () => {
  const idAfter = async (text: string) => {
    await load(text)
    return newCategories().find(({ name }) => name === 'Rabbit')?.id
  }

  test('above every category', async () => {
    await addCategory({ id: 40, name: 'Goat' })
    expect(await idAfter('name,category\nRex,Rabbit\n')).toBe(41)
  })

  test('above every id that an animal in the store uses', async () => {
    await load('name,categoryId\nRex,50\n')
    expect(await idAfter('name,category\nTom,Rabbit\n')).toBe(51)
  })

  test('above every id in the same file', async () => {
    expect(await idAfter('name,category,categoryId\nRex,Rabbit,\nTom,,60\n')).toBe(61)
  })

  test('and the lowest free one if the highest is in use', async () => {
    await load('name,categoryId\nRex,9007199254740991\nTom,7\n')
    expect(await idAfter('name,category,categoryId\nTom,Rabbit,\nKim,Goat,\nBea,,8\n')).toBe(9)
    expect(newCategories()).toEqual([
      { id: 9, name: 'Rabbit' },
      { id: 10, name: 'Goat' },
    ])
  })
})

describe('a category with both a name and an id in the file', () => {
  const csv = (...rows: string[]) => `name,categoryId,category\n${rows.join('\n')}\n`
  const byName = () => Object.fromEntries(opened.store.app.categories.page(0, 100).map(({ id, name }) => [name, id]))

  test('is created with both if the store has neither', async () => {
    await load(csv('Rex,40,Rabbit', 'Tom,41,Goat', 'Kim,,goat'))
    expect(newCategories()).toEqual([
      { id: 40, name: 'Rabbit' },
      { id: 41, name: 'Goat' },
    ])
    expect(allPets().map(({ categoryId }) => categoryId)).toEqual([40, 41, 41])
  })

  test('keeps its id in the store if the name exists there, and gets a free id if the id has another name', async () => {
    await addCategory({ id: 40, name: 'Goat' })
    await load(csv('Rex,40,Rabbit', 'Tom,99,GOAT', 'Kim,7,Crab'))
    expect(byName()).toMatchObject({ Goat: 40, Crab: 7, Rabbit: 41 })
    expect(allPets().map(({ categoryId }) => categoryId)).toEqual([41, 40, 7])
  })

  test('gets the id of its first row with an id; if two names have the same id, the first name gets it', async () => {
    await load(csv('Rex,,Rabbit', 'Tom,40,Rabbit', 'Kim,41,Rabbit', 'Zoe,40,Goat'))
    expect(byName()).toMatchObject({ Rabbit: 40, Goat: 41 })
  })

  test('replaces a default category in an unused store, and none in any other', async () => {
    await load(csv('Rex,1,Hound', 'Tom,9,Cat'))
    expect(byName()).toEqual({ Hound: 1, Cat: 9, Bird: 3, Fish: 4, Reptile: 5, 'Small animal': 6 })
    await load(csv('Kim,5,Snake'))
    expect(byName()).toMatchObject({ Reptile: 5, Snake: 10 })
  })

  test('sets the name of an id that animals in the store use', async () => {
    await load('name,categoryId\nRex,900\n')
    await load(csv('Tom,900,Rabbit'))
    expect(newCategories()).toEqual([{ id: 900, name: 'Rabbit' }])
  })
})

test('names that do not fit in the cache also get the ids of the file', async () => {
  const rows = Array.from({ length: 12_000 }, (_, i) => `Rex,${i + 1_000},Kind ${i}`)
  await load(`name,categoryId,category\n${[...rows, ...rows].join('\n')}\n`)
  expect(newCategories()).toHaveLength(12_000)
  expect(allPets().every(({ categoryId }, i) => categoryId === 1_000 + (i % 12_000))).toBe(true)
})
