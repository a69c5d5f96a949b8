import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { maximumRowBytes } from './rows.ts'
import { read, summary } from './testing/read.ts'

describe('an NDJSON file', () => {
  test('any name is read, with its line, for any chunks', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\n \r\n'),
      fc.integer({ min: 1, max: 40 }),
      async (names, lineEnd, chunkBytes) => {
        const text = names.map((name) => JSON.stringify({ name, categoryId: 1 })).join(lineEnd)
        const step = lineEnd.split('\n').length - 1
        const expected = names.map((name, i) => ({ line: 1 + i * step, fields: { name, categoryId: 1 } }))
        expect(await read(text, { chunkBytes })).toEqual(expected)
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })

  test('a line that is not a JSON object, or is too long is one invalid row', async () => {
    const huge = `{"name":"${'é'.repeat(maximumRowBytes)}"}`
    const text = `{"name":"Rex","category":"Dog"}\n[1]\n${huge}\n{"name":\nnull\n{"name":"Tom"}`
    expect(summary(await read(text, { format: 'ndjson' }))).toEqual([
      '1: Rex',
      '2: the line is not a JSON object',
      '3: the row is longer than 128 KiB',
      '4: the line is not a JSON object',
      '5: the line is not a JSON object',
      '6: Tom',
    ])
  })

  test('members are found by the given names, or by the names of the fields in any case', async () => {
    const rows = await read('{"Naam":"Rex","TYPE":"Dog","Status":"sold","x":3}\n', {
      columns: ['name=naam,category=Type'],
    })
    expect(rows).toEqual([{ line: 1, fields: { name: 'Rex', category: 'Dog', status: 'sold' } }])
  })

  test('a mapped member that is in no row is an error that lists the members of the file', async () => {
    const text = '{"name":"Rex","category":"Dog"}\n'
    const rejected = read(text, { columns: ['name=Naam'] })
    await expect(rejected).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: 'columns: the file has no "Naam", only name, category.',
    })
  })

  test('an empty file has no rows', async () => {
    expect(await read('', { format: 'ndjson' })).toEqual([])
  })
})

test('the format is detected by the first character unless it is given', async () => {
  const object = '{"name":"Rex","category":"Dog"}'
  expect(await read(`\ufeff \n${object}`)).toMatchObject([{ line: 2, fields: { name: 'Rex' } }])
  expect(await read(object, { format: 'csv' })).toMatchObject([{ isFatal: true }])
  expect(await read('name,category\nRex,Dog', { format: 'ndjson' })).toMatchObject([
    { line: 1, fault: 'the line is not a JSON object' },
    { line: 2, fault: 'the line is not a JSON object' },
  ])
})

test('the elements of a JSON array are read like lines, for any chunks', async () => {
  const rows = [
    { line: 2, fields: { name: 'R"], [x', category: 'Dog' } },
    { line: 5, fields: { name: 'Tom', category: 'Cat' } },
  ]
  const text =
    '[\n {"name":"R\\"], [x","category":{"id":1,"name":"Dog"},"tags":[{"a":[1]}]},\n\n\n {\n "name": "Tom", "category": {"name": "Cat"}\n }\n]\n'
  for (const chunkBytes of [1, 3, 10_000]) expect(await read(text, { chunkBytes })).toEqual(rows)
  expect(await read('[]')).toEqual([])
  expect(summary(await read('[{"name":"Rex","category":"Dog"}, 7, {"name"}]'))).toEqual([
    '1: Rex',
    '1: the element is not a JSON object',
    '1: the element is not a JSON object',
  ])
  expect(summary(await read('[{"name":"Rex","category":"Dog"},\n{"name":"Tom"'))).toEqual([
    '1: Rex',
    '2: the array has no closing bracket: the end of the file is missing',
  ])
  expect(summary(await read('[name],name,category\nx,Rex,Dog\n'))).toEqual(['2: Rex'])
})

test('objects may have 1,000 different members in all', async () => {
  const objects = (count: number) =>
    Array.from({ length: count }, (_, i) => `{"name":"Rex","category":"Dog","m${i}":1}\n`).join('')
  expect(await read(objects(998))).toHaveLength(998)
  expect(summary(await read(objects(1_200)))).toEqual([
    '1: the file has 1,001 columns: remove some, at most 1,000 can be read',
  ])
})

test('the members of an object within an object have dotted names', async () => {
  const text = '{"pet":{"call":"Rex"},"kind":{"name":"Dog"}}\n{"pet":{"call":"Tom"},"kind":{"name":"Cat"}}\n'
  expect(summary(await read(text, { columns: ['name=pet.call,category=kind.name'] }))).toEqual(['1: Rex', '2: Tom'])
  const rejected = read(text, { columns: ['name=pet,category=kind.name'] })
  await expect(rejected).rejects.toThrow('columns: the file has no "pet", only pet.call, kind.name.')
})
