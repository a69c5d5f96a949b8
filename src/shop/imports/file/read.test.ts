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
    const text = `{"name":"Rex"}\n[1]\n${huge}\n{"name":\nnull\n{"name":"Tom"}`
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
    const rows = await read('{"Naam":"Rex","TYPE":"Dog","Status":"sold","id":3}\n', {
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

test('a JSON array is named as what it is, and a CSV header in brackets is no array', async () => {
  for (const array of ['[{"name":"Rex"}]', '\n [ {\n  "name": "Rex"}]', '[]']) {
    await expect(read(array)).rejects.toThrow('This is a JSON array')
  }
  expect(summary(await read('[name],name,category\nx,Rex,Dog\n'))).toEqual(['2: Rex'])
})
