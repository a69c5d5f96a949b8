import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { readRows } from './read.ts'
import { parseReading } from './reading.ts'
import { inChunks, read } from './testing/read.ts'

const spreadsheet = Buffer.from('PK\u0003\u0004\u0014\u0000\u0006\u0000[Content_Types].xml\n', 'latin1')
const oldSpreadsheet = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0x0a])

test('a compressed file, a spreadsheet, or a file of another program is rejected with what to do, in any format and for any chunks', async () => {
  const packed: [Uint8Array, string][] = [
    [gzipSync('name,category\nRex,Dog\n'), 'compressed with gzip: unpack it first'],
    [spreadsheet, 'this is a spreadsheet, or a zip archive: save the spreadsheet as CSV'],
    [oldSpreadsheet, 'this is a spreadsheet: save it as CSV'],
    [Buffer.from('%PDF-1.7\nname,category\n'), 'this is a PDF document'],
    [Buffer.from('\n <!doctype html>'), 'this is a web page'],
    [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 1, 2]), 'this is not a list'],
  ]
  for (const [bytes, fault] of packed) {
    for (const format of ['csv', 'ndjson', undefined] as const) {
      for (const chunkBytes of [1, 3, 10_000]) {
        const rows = await Array.fromAsync(readRows(inChunks(bytes, chunkBytes), { ...parseReading({}), format }))
        expect(rows.flat()).toEqual([{ line: 1, fault: expect.stringContaining(fault), isFatal: true }])
      }
    }
  }
})

test('a file of text that begins with "PK", and one that is shorter than any such sign, are read', async () => {
  const options = { columns: ['name=PK'], chunkBytes: 1 }
  expect(await read('PK,category\nRex,Dog\n', options)).toEqual([{ line: 2, fields: { name: 'Rex', category: 'Dog' } }])
  expect(await read('a', { chunkBytes: 1 })).toMatchObject([{ line: 1, isFatal: true }])
})
