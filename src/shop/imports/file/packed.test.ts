import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseColumns } from './columns.ts'
import { readRows } from './read.ts'

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
}

const spreadsheet = Buffer.from('PK\u0003\u0004\u0014\u0000\u0006\u0000[Content_Types].xml\n', 'latin1')
const oldSpreadsheet = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0x0a])

test('a compressed file or a spreadsheet is rejected with what to do, in any format and for any chunks', async () => {
  const packed: [Uint8Array, string][] = [
    [gzipSync('name,category\nRex,Dog\n'), 'compressed with gzip: unpack it first'],
    [spreadsheet, 'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV'],
    [oldSpreadsheet, 'this is a spreadsheet: save it as CSV'],
  ]
  for (const [bytes, fault] of packed) {
    for (const format of ['csv', 'ndjson', undefined] as const) {
      for (const chunkBytes of [1, 3, 10_000]) {
        const rows = await Array.fromAsync(readRows(inChunks(bytes, chunkBytes), parseColumns([]), format))
        expect(rows.flat()).toEqual([{ line: 1, fault: expect.stringContaining(fault), isFatal: true }])
      }
    }
  }
})

test('a file of text that begins with "PK", and one that is shorter than any such sign, are read', async () => {
  const read = (text: string) => Array.fromAsync(readRows(inChunks(Buffer.from(text), 1), parseColumns(['name=PK'])))
  expect((await read('PK,category\nRex,Dog\n')).flat()).toEqual([{ line: 2, fields: { name: 'Rex', category: 'Dog' } }])
  const [row] = (await Array.fromAsync(readRows(inChunks(Buffer.from('a'), 1), parseColumns([])))).flat()
  expect(row).toMatchObject({ line: 1, isFatal: true })
})
