import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { guarded } from '../cells.ts'
import { parseColumns } from './columns.ts'
import { type ImportFormat, readRows } from './read.ts'
import { isFault, maximumRowBytes, type SourceRow } from './rows.ts'

/** Yields bytes in pieces of different sizes, so that every boundary is tested. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
}

interface Options {
  readonly columns?: string[]
  readonly format?: ImportFormat
  readonly chunkBytes?: number
}

async function read(source: string | Uint8Array, { columns = [], format, chunkBytes = 65_536 }: Options = {}) {
  const rows: SourceRow[] = []
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  for await (const batch of readRows(inChunks(bytes, chunkBytes), parseColumns(columns), format)) rows.push(...batch)
  return rows
}

/** The number of rows in each batch of a CSV file that arrives at once. */
async function batchSizes(text: string): Promise<number[]> {
  const sizes: number[] = []
  for await (const rows of readRows(inChunks(Buffer.from(text), text.length), parseColumns([]), 'csv')) {
    sizes.push(rows.length)
  }
  return sizes
}

/** Rows as `line: name` or `line: fault`. */
const summary = (rows: readonly SourceRow[]) =>
  rows.map((row) => `${row.line}: ${isFault(row) ? row.fault : row.fields.name}`)

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`

describe('a CSV file', () => {
  test('any name is read from a quoted cell, with the line on which it begins, for any chunks', async () => {
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 })
    const property = fc.asyncProperty(
      names.map((all) => all.map((name) => name.toWellFormed())),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (all, lineEnd, endsInNewline, chunkBytes) => {
        const rows = all.map((name) => `${cell(guarded(name))},Dog`)
        const text = ['name,category', ...rows].join(lineEnd) + (endsInNewline ? lineEnd : '')
        let line = 2
        const expected = all.map((name, i) => {
          const row = { line, fields: { name, category: 'Dog' } }
          line += (rows[i] ?? '').split('\n').length
          return row
        })
        expect(await read(text, { chunkBytes })).toEqual(expected)
      },
    )
    await fc.assert(property, { numRuns: 300 })
  })

  test('a byte order mark, spaces around cells, blank lines and mixed line ends are accepted', async () => {
    const text = '\ufeffname , "category"\r\n\r\nRex, "Dog" \n   \n"Tom" ,Cat'
    expect(await read(text, { chunkBytes: 1 })).toEqual([
      { line: 3, fields: { name: 'Rex', category: 'Dog' } },
      { line: 5, fields: { name: 'Tom', category: 'Cat' } },
    ])
  })

  test('a row has the number of the line on which it begins, after cells of several lines and blank lines', async () => {
    const text = 'note,name,category\n"a\r\n\r\nb",Rex,Dog\n\n"c\nd",Tom,Cat\nx,Kim\n'
    expect(summary(await read(text))).toEqual([
      '2: Rex',
      '6: Tom',
      '8: the number of fields is 2, in the header it is 3',
    ])
  })

  test('a leading apostrophe is removed only before a formula', async () => {
    const cells = ["'=SUM(A1)", "'+1", "'-1", "'@x", '"\'\ty"', "'Rex", "''", '=bare', "''=twice"]
    const rows = await read(`name,category\n${cells.map((name) => `${name},Dog\n`).join('')}`)
    expect(rows.map((row) => (isFault(row) ? row.fault : row.fields.name))).toEqual([
      '=SUM(A1)',
      '+1',
      '-1',
      '@x',
      '\ty',
      "'Rex",
      "''",
      '=bare',
      "'=twice",
    ])
  })

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
    expect(rows.slice(0, 3)).toEqual([
      '2: Tom',
      '3: a quote is opened and not closed within 128 KiB',
      '4: the number of fields is 1, in the header it is 2',
    ])
    expect(rows.at(-1)).toEndWith(': Rex')
  })

  test('an open quote is reported after 128 KiB, not at the end of the file', async () => {
    let given = 0
    async function* chunks() {
      yield Buffer.from('name,category\n"')
      while (given < 4 * maximumRowBytes) {
        given += 65_536
        yield Buffer.from('Rex,Dog\n'.repeat(8_192))
      }
    }
    for await (const rows of readRows(chunks(), parseColumns([]), 'csv')) if (rows.length > 0) break
    expect(given).toBeLessThanOrEqual(maximumRowBytes + 2 * 65_536)
  })

  test('a batch has the rows of a few KiB or few faults, whatever quotes the file has', async () => {
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
    expect(Math.max(...sizes)).toBeLessThan(50)
  })

  test('quotes at any place give the same rows for any chunks', async () => {
    const texts = fc.string({ unit: fc.constantFrom('"', '"', ',', '\n', '\r\n', 'a', ' '), maxLength: 60 })
    const property = fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async (text, chunkBytes) => {
      const file = `name,category\n${text}`
      expect(await read(file, { chunkBytes })).toEqual(await read(file))
    })
    await fc.assert(property, { numRuns: 500 })
  })

  test('text that is not UTF-8 makes the file fail with its line, after the rows before it', async () => {
    const latin1 = Buffer.from('name,category\n"two\nlines",Dog\nAnna,Dog\nZo\xeb,Dog\nRex,Dog\n', 'latin1')
    for (let chunkBytes = 1; chunkBytes <= latin1.length; chunkBytes++) {
      expect(await read(latin1, { chunkBytes })).toEqual([
        { line: 2, fields: { name: 'two\nlines', category: 'Dog' } },
        { line: 4, fields: { name: 'Anna', category: 'Dog' } },
        { line: 5, fault: 'the text is neither UTF-8 nor UTF-16: save the file as UTF-8', isFatal: true },
      ])
    }
  })

  test('an incomplete character at the end of the file is not UTF-8', async () => {
    const rows = await read(Buffer.concat([Buffer.from('name,category\nZo'), Buffer.from([0xc3])]))
    expect(rows).toMatchObject([{ line: 2, isFatal: true }])
  })

  const rex = [{ line: 2, fields: { name: 'Rex', category: 'Dog' } }]

  test('the delimiter is the comma, semicolon or tab with which the header has the columns', async () => {
    for (const delimiter of [',', ';', '\t']) {
      const rows = ['name,category,status', 'Rex,Dog,', '"a,b;c\td",Cat,sold'].map((row) =>
        row.replace(/,(?=[^b])|,$/g, delimiter),
      )
      for (const chunkBytes of [1, 1_000]) {
        expect(await read(rows.join('\r\n'), { chunkBytes })).toEqual([
          { line: 2, fields: { name: 'Rex', category: 'Dog', status: '' } },
          { line: 3, fields: { name: 'a,b;c\td', category: 'Cat', status: 'sold' } },
        ])
      }
    }
    const empty = await read('name\tstatus\tcategory\nRex\t\tDog\n')
    expect(empty).toEqual([{ line: 2, fields: { name: 'Rex', status: '', category: 'Dog' } }])
  })

  test('a comma in the name of a column does not change the delimiter from a semicolon', async () => {
    const text = 'Name, short, or long;Type\nRex;Dog\n'
    expect(await read(text, { columns: ['name=Name, short, or long,category=Type'] })).toEqual(rex)
    expect(await read('name;category;notes, remarks, more, still more\nRex;Dog;x\n')).toEqual(rex)
  })

  test("Excel's line with the delimiter before the header is read", async () => {
    const rows = await read('sep=;\r\nname;category\r\nRex;Dog\r\n')
    expect(rows).toEqual([{ line: 3, fields: { name: 'Rex', category: 'Dog' } }])
    expect(await read('sep=,\nname,category\nRex,Dog\n')).toHaveLength(1)
  })

  test('UTF-16 is recognised by its byte order mark or by its zero bytes, for any chunks', async () => {
    const text = 'name\tcategory\r\nZo\u00eb \u{1F436}\tDog\r\n\u6c49\u5b57\tCat\r\n'
    const expected = [
      { line: 2, fields: { name: 'Zo\u00eb \u{1F436}', category: 'Dog' } },
      { line: 3, fields: { name: '\u6c49\u5b57', category: 'Cat' } },
    ]
    for (const mark of ['\ufeff', '']) {
      const little = Buffer.from(mark + text, 'utf16le')
      for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(mark + text)]) {
        for (const chunkBytes of [1, 3, 7, 10_000]) expect(await read(bytes, { chunkBytes })).toEqual(expected)
      }
    }
  })

  test('invalid UTF-16 makes the file fail with its line', async () => {
    const fault = { fault: expect.stringContaining('neither UTF-8 nor UTF-16'), isFatal: true }
    const lone = Buffer.from('\ufeffname,category\nRex,Dog\nT\ud800m,Dog\n', 'utf16le')
    expect(await read(lone)).toMatchObject([...rex, { line: 3, ...fault }])
    const odd = Buffer.concat([Buffer.from('\ufeffname,category\nRex,Dog\n', 'utf16le'), Buffer.from('x')])
    expect(await read(odd)).toMatchObject([...rex, { line: 3, ...fault }])
  })

  test('an empty file, or one of blank lines, has no header, and a header alone has no rows', async () => {
    const fault = { line: 1, fault: 'there is no line of column names', isFatal: true as const }
    for (const empty of ['', '\ufeff']) expect(await read(empty)).toEqual([fault])
    expect(await read('\n \n')).toEqual([{ ...fault, line: 3 }])
    expect(await read('name,category')).toEqual([])
    expect(await read('name,category\r\n')).toEqual([])
  })

  test('a file whose lines end with CR alone fails with what to do, and a CR within quotes does not', async () => {
    const rows = 'Rex,Dog\r"Tom, the cat",Cat\r'
    for (const text of [
      `name,category\r${rows}`,
      `"name","category"\r${rows}`,
      `name,category\r${rows.repeat(60_000)}`,
    ]) {
      expect(await read(text)).toEqual([
        { line: 1, fault: expect.stringContaining('as on old Macs (CR)'), isFatal: true },
      ])
    }
    const quoted = await read('name,category,"a\rnote"\r\nRex,Dog,"x\ry"\n')
    expect(quoted).toEqual([{ line: 2, fields: { name: 'Rex', category: 'Dog' } }])
    expect(await read('name,category\r')).toEqual([])
    expect(await read('name,category\r\r\nRex,Dog\r\r\n')).toMatchObject([{ fields: { name: 'Rex', category: 'Dog' } }])
  })

  test('a header without a column, with the same column twice or with a wrong quote makes the file fail', async () => {
    for (const header of ['name,kind', 'name,category,name', 'name,cat"egory', '"name,category']) {
      expect(await read(`${header}\nRex,Dog\n"Tom"x,Cat\n`)).toMatchObject([{ line: 1, isFatal: true }])
    }
  })
})

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
      message: '--columns: the file has no "Naam", only name, category.',
    })
  })

  test('text that is not UTF-8 makes the file fail with its line', async () => {
    const rows = await read(Buffer.from('{"name":"Rex"}\r\n\n{"name":"Zo\xeb"}\n', 'latin1'))
    expect(rows).toMatchObject([{ line: 1 }, { line: 3, isFatal: true }])
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
    expect(read(array)).rejects.toThrow('This is a JSON array')
  }
  expect(summary(await read('[name],name,category\nx,Rex,Dog\n'))).toEqual(['2: Rex'])
})
