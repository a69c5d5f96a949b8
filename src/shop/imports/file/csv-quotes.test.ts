import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readRows } from './read.ts'
import { parseReading } from './reading.ts'
import { maximumRowBytes } from './rows.ts'
import { inChunks, read, summary } from './testing/read.ts'

/** The number of rows in each batch of a CSV file that arrives at once. */
async function batchSizes(text: string): Promise<number[]> {
  const sizes: number[] = []
  const options = { ...parseReading({}), format: 'csv' } as const
  for await (const rows of readRows(inChunks(Buffer.from(text), text.length), options)) sizes.push(rows.length)
  return sizes
}

describe('a CSV file', () => {
  test('a wrong quote makes only its row invalid', async () => {
    const text = 'name,category\n5" tall,Dog\nRex,Dog\n"Max" the dog,Dog\n"Tom"x,Cat\nKim,Cat\n"open,Cat\nBea,Cat\n'
    const rows = [
      '2: a quote is inside an unquoted field: put the field in quotes and double the quotes in it',
      '3: Rex',
      '4: text follows the closing quote of a field: double the quotes inside the field',
      '5: text follows the closing quote of a field: double the quotes inside the field',
      '6: Kim',
      '7: a quote is opened and not closed within 128 KiB',
      '8: Bea',
    ]
    expect(summary(await read(text))).toEqual(rows)
    expect(summary(await read(text, { chunkBytes: 3 }))).toEqual(rows)
  })

  test('a row of more than 128 KiB is one invalid row, in one line or in many', async () => {
    const huge = 'x'.repeat(3 * maximumRowBytes)
    expect(summary(await read(`name,category\n${huge},Dog\nRex,Dog\n`))).toEqual([
      '2: the row is longer than 128 KiB',
      '3: Rex',
    ])
    const commas = ','.repeat(2 * maximumRowBytes)
    expect(summary(await read(`name,category\n${commas}\nRex,Dog\n`))).toEqual([
      '2: the row is longer than 128 KiB',
      '3: Rex',
    ])
    const open = `"${'é\n'.repeat(maximumRowBytes / 3)}`
    const rows = summary(await read(`name,category\nTom,Cat\n${open}\nRex,Dog\n`))
    expect(rows.slice(0, 3)).toEqual(['2: Tom', '3: a quote is opened and not closed within 128 KiB', '4: é'])
    expect(rows.at(-1)).toEndWith(': Rex')
  })

  test('a batch has the rows of a few KiB, whatever quotes the file has', async () => {
    const dogs = 'Rex,Dog\n'.repeat(30_000)
    const mostRows = (2 * 8_192) / 'Rex,Dog\n'.length
    const long = `"${'two\nlines '.repeat(5_000)}",Dog\n`
    for (const first of ['"open,Cat\n', '5" tall,Dog\n', long]) {
      const sizes = await batchSizes(`name,category\n${first}${dogs}`)
      expect(sizes.reduce((sum, size) => sum + size)).toBe(30_001)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(mostRows)
    }
    const sizes = await batchSizes(`name,category\n${'a"\n'.repeat(10_000)}`)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(10_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8_192 / 3 + 1)
  })

  test('quotes at any place give the same rows for any chunks', async () => {
    const texts = fc.string({ unit: fc.constantFrom('"', '"', ',', '\n', '\r\n', 'a', ' '), maxLength: 60 })
    const property = fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async (text, chunkBytes) => {
      const file = `name,category\n${text}`
      expect(await read(file, { chunkBytes })).toEqual(await read(file))
    })
    await fc.assert(property, { numRuns: 50 })
  })
})
