import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { guarded } from './cells.ts'
import { isFault, type SourceRow } from './rows.ts'
import { layoutOf, read, summary } from './testing/read.ts'
import { parseCategories } from './words.ts'

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const rex = [{ line: 2, fields: { name: 'Rex', category: 'Dog' } }]

describe('a CSV file', () => {
  test('any name is read from a quoted cell, with the line on which it begins, for any chunks', async () => {
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 })
    const property = fc.asyncProperty(
      // A file with many zeros is no text.
      names.map((all) => all.map((name) => name.toWellFormed().replaceAll('\0', '0'))),
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
    expect(summary(await read(text))).toEqual(['2: Rex', '6: Tom', '8: Kim'])
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

  test('text of older spreadsheets is read as Windows-1252, wherever its first letter beyond ASCII is, for any chunks', async () => {
    const head = 'name,category\nAnna,Dog\n'
    const tail = Buffer.from([0x5a, 0x6f, 0xeb, 0x20, 0x80, 0x2c, 0x44, 0x6f, 0x67, 0x0a])
    for (const count of [0, 7_000, 30_000]) {
      const bytes = Buffer.concat([Buffer.from(head + 'Rex,Dog\n'.repeat(count)), tail])
      for (const chunkBytes of count === 0 ? [1, 2, 3, 10_000] : [65_536, 1_000_003]) {
        const rows = await read(bytes, { chunkBytes })
        expect(rows.at(-1)).toEqual({ line: 3 + count, fields: { name: 'Zoë €', category: 'Dog' } })
      }
    }
  })

  test('a file that begins as UTF-8 and goes on in another encoding fails with the line', async () => {
    const utf8 = `name,category\nZoë,Dog\n${'Rex,Dog\n'.repeat(20_000)}`
    const bytes = Buffer.concat([
      Buffer.from(`${utf8}"two\nlines",Dog\n`),
      Buffer.from('Zo\xeb,Dog\nRex,Dog\n', 'latin1'),
    ])
    const short = Buffer.concat([
      Buffer.from('name,category\nZoë,Dog\nÉmile,Dog\n'),
      Buffer.from('Zo\xeb,Dog\n', 'latin1'),
    ])
    expect(await read(short)).toMatchObject([{ line: 4, isFatal: true }])
    for (const chunkBytes of [4_096, 65_537, 1_000_000]) {
      expect(await read(bytes, { chunkBytes })).toEqual([
        { line: 20_005, fault: expect.stringContaining('begins as UTF-8'), isFatal: true },
      ])
    }
  })

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
    const fault = { fault: expect.stringContaining('begins as UTF-16'), isFatal: true }
    const lone = Buffer.from('\ufeffname,category\nRex,Dog\nT\ud800m,Dog\n', 'utf16le')
    expect(await read(lone)).toMatchObject([{ line: 3, ...fault }])
    const odd = Buffer.concat([Buffer.from('\ufeffname,category\nRex,Dog\n', 'utf16le'), Buffer.from('x')])
    expect(await read(odd)).toMatchObject([{ line: 3, ...fault }])
  })

  test('an empty file, or one of blank lines, has no header, and a header alone has no rows', async () => {
    const fault = { line: 1, fault: 'there is no line of column names', isFatal: true as const }
    for (const empty of ['', '\ufeff']) expect(await read(empty)).toEqual([fault])
    for (const blank of ['\n \n', ',,\n;;\n']) expect(await read(blank)).toEqual([{ ...fault, line: 3 }])
    expect(await read('name,category')).toEqual([])
    expect(await read('name,category\r\n')).toEqual([])
  })

  test('lines may end with CR alone, and a CR within quotes ends none', async () => {
    const rows = 'Rex,Dog\r"Tom, the cat",Cat\r'
    for (const header of ['name,category', '"name","category"']) {
      expect(await read(`${header}\r${rows.repeat(10_000)}`, { chunkBytes: 50_000 })).toHaveLength(20_000)
      expect(await read(`${header}\r${rows}`)).toEqual([
        ...rex,
        { line: 3, fields: { name: 'Tom, the cat', category: 'Cat' } },
      ])
    }
    const quoted = await read('name,category,"a\rnote"\r\nRex,Dog,"x\ry"\n')
    expect(quoted).toEqual([{ line: 2, fields: { name: 'Rex', category: 'Dog' } }])
    expect(await read('name,category\r')).toEqual([])
    expect(await read('name,category\r\r\nRex,Dog\r\r\n')).toMatchObject([{ fields: { name: 'Rex', category: 'Dog' } }])
  })

  test('a header without a column, with the same column twice or with a wrong quote makes the file fail', async () => {
    for (const header of ['name,note', 'name,category,name', 'name,cat"egory', '"name,category']) {
      expect(await read(`${header}\nRex,Dog\n"Tom"x,Cat\n`)).toMatchObject([{ line: 1, isFatal: true }])
    }
  })

  test('titles above the header and rows of only delimiters are no animals', async () => {
    const list = 'Name,Category,Status\r\nRex,Dog,available\r\n,,\r\nTom,Cat,sold\r\n,,\r\n'
    const names = (rows: SourceRow[]) => rows.map((row) => (isFault(row) ? row.fault : row.fields.name))
    for (const [title, line] of [
      ['Stock list 27.11.2026,,\r\n,,\r\n', 3],
      ['Happy Paws stock list\r\n\r\n', 3],
      ['', 1],
    ] as const) {
      expect(names(await read(title + list))).toEqual(['Rex', 'Tom'])
      expect((await layoutOf(title + list)).headerLine).toBe(line)
    }
    const unknown = 'Our animals;\nCall;Kin\nRex;Dog\n'
    const columns = ['name=#1,category=#2']
    expect(names(await read(unknown, { columns, headerLine: 2 }))).toEqual(['Rex'])
    await expect(read(unknown, { headerLine: 5 })).rejects.toThrow('headerLine: no row of the file begins on line 5.')
  })

  test('a file without a header loses no animal', async () => {
    const columns = ['name=#1,category=#2']
    for (const text of ['Rex,Dog\nTom,Cat\n', 'Rex,Dog,available\nTom,Cat,sold\n']) {
      expect(summary(await read(text, { columns }))).toEqual(['1: Rex', '2: Tom'])
    }
    expect(summary(await read('Name,Dog\nTom,Cat\n', { columns, hasHeader: false }))).toEqual(['1: Name', '2: Tom'])
    expect(summary(await read('Name,Dog\nTom,Cat\n', { columns }))).toEqual(['2: Tom'])
  })

  test('short rows are filled, and a longer one is a problem of that row unless nothing is lost', async () => {
    const text = 'Name,Category,Status,Notes\nRex,Dog,available,x\nTom,Cat\nBo,Dog,,,,\nMo,Dog,sold,x,y\n'
    expect(summary(await read(text))).toEqual([
      '2: Rex',
      '3: Tom',
      '4: Bo',
      '5: the number of fields is 5, in the header it is 4',
    ])
  })

  test('totals at the end are left out, and an animal with such a name is not', async () => {
    const animals = 'Name,Category,Price\nRex,Dog,100\nTotal,Cat,50\n'
    for (const total of ['Total,,150', 'Total,2,150', 'Summe: 2,,"150,00 €"']) {
      expect(summary(await read(`${animals}${total}\n`))).toEqual(['2: Rex', '3: Total'])
      expect((await layoutOf(`${animals}${total}\n`)).totals).toEqual([4])
    }
    expect((await layoutOf(animals)).totals).toEqual([])
  })

  test('an empty category has the one above only if the owner says so', async () => {
    const text = 'Category,Name\nDog,Rex\n,Bello\nCat,Tom\n,Minka\n'
    const categories = (rows: SourceRow[]) => rows.map((row) => (isFault(row) ? row.fault : row.fields.category))
    expect(categories(await read(text))).toEqual(['Dog', '', 'Cat', ''])
    expect(categories(await read(text, { fill: 'category' }))).toEqual(['Dog', 'Dog', 'Cat', 'Cat'])
  })

  test('all animals can have one category, and the words of a column can be matched to categories', async () => {
    const dogs = 'Hundename;Rasse\nBello;Labrador\n'
    expect(await read(dogs, { category: 'Dog' })).toEqual([
      { line: 2, fields: { category: 'Dog', name: 'Bello', breed: 'Labrador' } },
    ])
    const text = 'Name,Type\nRex,Puppy\nTom,KITTEN\nBo,Dog\nMo,Unknown\n'
    const categories = parseCategories(['Puppy=Dog,kitten=Cat,Unknown='])
    expect(await read(text, { categories })).toEqual([
      { line: 2, fields: { name: 'Rex', category: 'Dog' } },
      { line: 3, fields: { name: 'Tom', category: 'Cat' } },
      { line: 4, fields: { name: 'Bo', category: 'Dog' } },
      { line: 5, fields: { name: 'Mo', category: 'Unknown' }, isLeftOut: true },
    ])
  })

  test('cells without a value are empty, so that a second column counts, and an exported name is one', async () => {
    const text = `Name,Tag,Category\nNA,A1,Dog\nN/A,A2,Cat\n-,A3,Dog\n${guarded('NULL')},A4,Dog\n`
    expect(summary(await read(text, { columns: ['name=Name|Tag'] }))).toEqual(['2: A1', '3: A2', '4: A3', '5: NULL'])
  })

  test('no value of a column is lost, however many different ones it has', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => `Rex,Dog,[${i}],b${i},c${i}`)
    const text = `name,category,attributes,Note,Other\n${rows.join('\n')}\n`
    const [last] = (await read(text, { columns: ['name=Note'], attributes: 'Other' })).slice(-1)
    expect(last).toMatchObject({
      fields: { name: 'b499', attributes: '[499]' },
      attributes: [{ label: 'Other', text: 'c499' }],
    })
  })
})
