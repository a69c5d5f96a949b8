import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { count } from 'drizzle-orm'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { pets } from '../../shop/pets/table.ts'
import { emptyFolder, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'
import { runHere, type TerminalOptions } from '../terminal/test-terminal.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder.path, name), content)
  return join(folder.path, name)
}

/** The line on the changed store, after the output of the command itself. */
const aboutTheStore = /^(Created a new store:|The store is) .*\n$/m

/** The note on a file without a column for the status, as most files of these tests are. */
const aboutTheStatus = /^No column for the status: .*\n/m

/** Runs `petstore pets import` in this process and returns its output. */
async function load(args: string[], options?: TerminalOptions) {
  const command = ['pets', 'import', ...args, '--data', join(folder.path, 'data')]
  const { code, out, err } = await runHere(command, options)
  const own = (text: string) => text.replace(aboutTheStore, '').replace(aboutTheStatus, '')
  return { code, out: own(out), err: own(err) }
}

const undoCommand = (id: number) => `petstore pets import --undo ${id} --data ${join(folder.path, 'data')}`

function countPets(): number {
  const { tables, close } = openDatabase(join(folder.path, 'data/production.db'), 1_000)
  const [row] = tables.select({ animals: count() }).from(pets).all()
  close()
  return row?.animals ?? -1
}

test('the result is a sentence, and one document with --json', async () => {
  const path = file('pets.csv', 'name,category,status\nRex,Dog\n,Dog\nTom,Cat\n')
  expect(await load([path, '--skip-invalid'])).toEqual({
    code: 0,
    out: `Imported 2 animals, skipped 1 row.\nThis is import 1. To undo it: ${undoCommand(1)}\n`,
    err: 'line 3: name is blank\n',
  })
  expect(await load([path, '--skip-invalid', '--json'])).toEqual({
    code: 0,
    out: '{"id":2,"imported":2,"changed":0,"unchanged":0,"alreadyThere":0,"skipped":1,"leftOut":0,"errors":[{"line":3,"message":"name is blank"}],"problems":[{"message":"name is blank","rows":1,"lines":[3]}],"unreadValues":[],"unusedColumns":[],"notes":[]}\n',
    err: expect.stringMatching(
      /^All 2 animals of the file are in the store already, .*\nThis file was imported before: import 1 on \d{4}-\d\d-\d\d \d\d:\d\d\. To remove /,
    ),
  })
  const { out } = await load([file('one.csv', 'name,category\nRex,Dog\n')])
  expect(out).toStartWith('Imported 1 animal.\n')
})

test('an invalid row makes the command fail, and with --json the output is one document in this case too', async () => {
  const path = file('pets.csv', 'name,category,status\nRex,Dog\n,Dog\n')
  const summary =
    'petstore: Nothing was imported: 1 of 2 rows are invalid. Correct them, or skip them with --skip-invalid.\n'
  expect(await load([path])).toEqual({ code: 1, out: '', err: `line 3: name is blank\n${summary}` })
  expect(await load([path, '--json'])).toEqual({
    code: 1,
    out: '{"id":null,"imported":0,"changed":0,"unchanged":0,"alreadyThere":0,"skipped":1,"leftOut":0,"errors":[{"line":3,"message":"name is blank"}],"problems":[{"message":"name is blank","rows":1,"lines":[3]}],"unreadValues":[],"unusedColumns":[],"notes":[]}\n',
    err: summary,
  })
  expect(countPets()).toBe(0)
})

test('a missing column is reported once', async () => {
  const { code, err } = await load([file('pets.csv', 'Naming,category\nRex,Dog\n')])
  const fault = 'there is no column "name", only Naming, category: choose the column with --columns name=COLUMN'
  expect([code, err.split('\n').filter((line) => line.includes('there is no column'))]).toEqual([
    1,
    [`petstore: Nothing was imported: line 1: ${fault}.`],
  ])
})

test('a file of another kind fails with one line that says what it is', async () => {
  const path = file('pets.csv', '%PDF-1.7\n')
  const fault = 'this is a PDF document: save the list as CSV'
  expect(await load([path, '--skip-invalid'])).toEqual({
    code: 1,
    out: '',
    err: `petstore: Nothing was imported: line 1: ${fault}.\n`,
  })
  const { out } = await load([path, '--skip-invalid', '--json'])
  expect(JSON.parse(out)).toMatchObject({ id: null, imported: 0, skipped: 0, errors: [{ line: 1, message: fault }] })
})

test('a file of an older spreadsheet needs no options if its columns have common names, and guessed columns are named', async () => {
  const path = file('pets.csv', Buffer.from('Nr;Rufname;Tierart\n1;Zo\xeb;Dog\n', 'latin1'))
  const { code, out, err } = await load([path])
  expect([code, out, err]).toEqual([
    0,
    expect.stringContaining('Imported 1 animal.'),
    'Guessed columns: name=Rufname, category=Tierart, number=Nr.\nRead as Windows-1252, which is a guess: --encoding NAME changes it.\n',
  ])
  expect(countPets()).toBe(1)
})

test('the output says what was guessed and what is not used', async () => {
  const path = file(
    'stock.csv',
    'Happy Paws,,,,\n\nPet name,Type,Sold?,Qty,Age\nRex,Dog,no,1,2 years\nTom,Cat,yes,1,8 weeks\nMo,Bird,,1,\nTotal,3,,3,\n',
  )
  const { code, err, out } = await load([path, '--categories', 'bird='])
  expect([code, out.split('\n')[0], err.split('\n')]).toEqual([
    0,
    'Imported 2 animals.',
    [
      'Guessed columns: name=Pet name, category=Type, status=Sold?.',
      'Unused columns: Qty, Age.',
      'Line 3 names the columns: Pet name,Type,Sold?,Qty,Age.',
      'Read as a status: "no" as available (1), "yes" as sold (1).',
      '"Qty" is not used: each row is one animal.',
      '"Age" is not used: choose it with --columns birthDate=#5 to read ages as dates of birth.',
      '1 row left out because of a word for the status or the category.',
      'Line 7 is left out: it is a total.',
      '',
    ],
  ])
  const command = ['pets', 'import', file('two.csv', 'name,category\nRex,Dog\nTom,Cat\n')]
  const { err: noStatus } = await runHere([...command, '--data', join(folder.path, 'data')])
  expect(noStatus).toContain('No column for the status: all 2 are available.\n')
})

test('a list of dogs gets one category, and a file without a header or with merged cells needs one option', async () => {
  const imported = async (text: string, ...options: string[]) =>
    (await load([file('list.csv', text), ...options])).out.split('\n')[0]
  expect(await imported('Hundename;Rasse\nBello;Labrador\n', '--category', 'Dog')).toBe('Imported 1 animal.')
  const byNumber = ['--columns', 'name=#1,category=#2']
  expect(await imported('Rex,Dog\nTom,Cat\n', ...byNumber)).toBe('Imported 2 animals.')
  expect(await imported('Name,Dog\nTom,Cat\n', ...byNumber, '--no-header')).toBe('Imported 2 animals.')
  expect(await imported('Our list,\nWho,What\nTom,Cat\n', ...byNumber, '--header-line', '2')).toBe('Imported 1 animal.')
  expect(await imported('Category,Name\nDog,Rex\n,Bello\n', '--fill', 'category')).toBe('Imported 2 animals.')
  expect((await load([file('list.csv', 'Category,Name\nDog,Rex\n,Bello\n')])).err).toContain(
    '1 row without a category: --fill category gives them the one above.\n',
  )
  expect((await load([file('list.csv', 'Hundename\nBello\n')])).err).toContain(
    ', or give all animals one with --category NAME',
  )
})

test('a file whose encoding is not certain is imported only in one that is chosen', async () => {
  const path = file('pets.csv', Buffer.from('name,category\nDa\xf0,Dog\n', 'latin1'))
  const { code, err } = await load([path])
  const readings = '"Dað"), Windows-1250 ("Dađ"), Windows-1254 ("Dağ") or Windows-1257 ("Daš")'
  expect([code, err]).toEqual([1, expect.stringContaining(`${readings}. Choose with --encoding windows-1252.`)])
  expect((await load([path, '--encoding', 'windows-1254'])).code).toBe(0)
  expect(countPets()).toBe(1)
})

test('a missing or unreadable file makes the command fail with one line, and a document with --json', async () => {
  const missing = join(folder.path, 'missing.csv')
  const message = `${missing} can't be read: there is no such file.`
  expect(await load([missing])).toEqual({ code: 1, out: '', err: `petstore: ${message}\n` })
  const { out } = await load([missing, '--json'])
  expect(JSON.parse(out)).toMatchObject({ id: null, imported: 0, skipped: 0, errors: [{ line: 0, message }] })
  const { code, err } = await load([folder.path])
  expect([code, err]).toEqual([1, `petstore: ${folder.path} is a directory, not a file.\n`])
  expect(existsSync(join(folder.path, 'data/production.db'))).toBe(false)
})

test('wrong usage exits with 2 and prints one line', async () => {
  const path = file('pets.csv', 'Name,Type\nRex,Dog\n')
  for (const wrong of [
    ['--format', 'xml'],
    ['--columns', 'colour=Type'],
    ['--columns', 'name=Name,category=Kind'],
    ['--statuses', 'gone=away'],
    ['another.csv'],
    ['--environment', 'test'],
    ['--undo', '1'],
  ]) {
    const { code, out, err } = await load([path, ...wrong])
    expect([code, out, err.split('\n').length]).toEqual([2, '', 2])
  }
  expect((await load([])).code).toBe(2)
})

test('many rows with the same problem share one line with their number', async () => {
  const path = file('pets.csv', `name,category\n${',Dog\n'.repeat(1_233)}Rex,\n,Dog\nTom,\n`)
  expect((await load([path, '--skip-invalid'])).err).toBe(
    '2 rows without a category: --fill category gives them the one above.\n1,234 rows: name is blank (lines 2, 3, 4, …)\n2 rows: category is blank (lines 1235, 1237)\n',
  )
  const { errors } = JSON.parse((await load([path, '--skip-invalid', '--json'], { errColumns: 80 })).out)
  expect(errors).toHaveLength(1_236)
})

test('a terminal shows the 40 most frequent problems and the number of others, a file or pipe shows all', async () => {
  const rows = Array.from({ length: 1_234 }, (_, i) => `Rex,Dog,status${i}\n`)
  const path = file('pets.csv', `name,category,status\n${rows.join('')}`)
  const shown = await load([path, '--skip-invalid'], { errColumns: 80 })
  const lines = shown.err.replace(/\r[^\r]*\r *\r/g, '').split('\n')
  expect(lines).toHaveLength(40 + 2)
  expect(lines.slice(40)).toEqual(['… and 961 more problems: --json or 2> FILE shows them all', ''])
  const all = (await load([path, '--skip-invalid'])).err.split('\n')
  expect(all[1_000]).toBe('234 rows: other problems (lines 1002, 1003, 1004, …)')
})

test('each problem of a row is counted with the equal ones of other rows, the most frequent first', async () => {
  const path = file('pets.csv', 'name,category,status\n,Dog,gone\nRex,Dog,Gone\nTom,Cat,gone\n,Cat,\n,Cat,\n')
  const { err } = await load([path])
  expect(err.split('\n').slice(0, 4)).toEqual([
    '3 rows: name is blank (lines 2, 5, 6)',
    '2 rows: status must be one of available, pending, sold, not "gone" (lines 2, 4)',
    'line 3: status must be one of available, pending, sold, not "Gone"',
    'petstore: Nothing was imported: 5 of 5 rows are invalid. Correct them, map or leave out the words for a status with --statuses, or skip them with --skip-invalid.',
  ])
})

test('the columns that are not used are named, also if the import fails', async () => {
  const csv = 'cage,Name,Type,note\n7,Rex,Dog,\n8,,Dog,\n'
  const columns = ['--columns', 'name=Name,category=Type']
  expect((await load([file('pets.csv', csv), ...columns])).err).toStartWith(
    'Unused columns: cage, note.\nline 3: name is blank\n',
  )
  const skipping = await load([file('pets.csv', csv), ...columns, '--skip-invalid', '--json'])
  expect(JSON.parse(skipping.out).unusedColumns).toEqual(['cage', 'note'])
  const objects = '{"name":"Rex","category":"Dog","cage":7}\n{"Name":"Tom","category":"Cat","note":"x"}\n'
  expect((await load(['-'], { stdin: objects })).err).toBe('Unused columns: cage, note.\n')
  expect((await load(['-'], { stdin: 'name,category\nRex,Dog\n' })).err).toBe('')
  const many = Array.from({ length: 30 }, (_, i) => `c${i}`)
  const { err } = await load(['-'], { stdin: `name,category,${many}\n` })
  expect(err).toBe(`Unused columns: ${many.slice(0, 20).join(', ')} and 10 more columns.\n`)
})

test('a name can come from a second column, and the words for a status are mapped', async () => {
  const path = file('pets.csv', 'Name,Tag,Type,Outcome\nRex,A1,Dog,Adopted\n ,A2,Dog,Returned, early\n')
  const quoted = file('quoted.csv', 'Name,Tag,Type,Outcome\nRex,A1,Dog,Adopted\n ,A2,Dog,"Returned, early"\n')
  const columns = ['--columns', 'name=Name|Tag,category=Type,status=Outcome']
  const statuses = ['--statuses', 'adopted=sold,Returned, early=available']
  expect((await load([path, ...columns, ...statuses])).code).toBe(1)
  expect(await load([quoted, ...columns, ...statuses])).toMatchObject({ code: 0, err: '' })
  const objects =
    '{"Name":"Tom","Type":"Cat","Outcome":"Adopted"}\n{"Name":null,"Tag":"A4","Type":"Cat","Outcome":"ADOPTED"}\n'
  expect(await load(['-', ...columns, ...statuses], { stdin: objects })).toMatchObject({ code: 0, err: '' })
  const { tables, close } = openDatabase(join(folder.path, 'data/production.db'), 1_000)
  const stored = tables.select({ name: pets.name, status: pets.status }).from(pets).all()
  close()
  expect(stored.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'Rex sold',
    'A2 available',
    'Tom sold',
    'A4 sold',
  ])
})

test('the progress bar is drawn only on a terminal, with size and percentage, and is removed at the end', async () => {
  const path = file('pets.csv', `name,category\n${'Rex,Dog\n'.repeat(1_000)}`)
  const { err, out } = await load([path], { errColumns: 80 })
  expect(err).toMatch(/^(\r8 kB \[#{30}\] 100 %\r *\r){2}\rAdding the animals\r *\r$/)
  expect(out).toStartWith('Imported 1,000 animals.\n')
  const unknownSize = await load(['-'], { errColumns: 80, stdin: 'name,category\nRex,Dog\n' })
  expect(unknownSize.err).toMatch(/^\r22 bytes\r *\r\rAdding the animals\r *\r$/)
  expect((await load([path])).err).toContain('\nThis file was imported before')
})

test('an import is undone by its id, and the output says which records were removed and kept', async () => {
  const path = file('pets.csv', 'name,category\nRex,Rabbit\nTom,Rabbit\nKim,Dog\n')
  await load([path])
  const { tables, connection, close } = openDatabase(join(folder.path, 'data/production.db'), 1_000)
  const stores = createStores({ tables, connection })
  const rex = stores.pets.find(1)
  if (rex) stores.pets.update(rex, { ...rex, status: 'sold' })
  close()
  expect(await load(['--undo', '1'])).toEqual({
    code: 0,
    out: 'Removed 2 animals of import 1.\nKept 1 animal changed since the import.\n',
    err: '',
  })
  expect(countPets()).toBe(1)
  const again = await load(['--undo', '1'])
  expect([again.code, again.err]).toEqual([1, 'petstore: Import 1 was undone already.\n'])
  expect((await load(['--undo', '7', '--json'])).err).toBe('petstore: There is no import 7.\n')
  await load([path])
  expect(JSON.parse((await load(['--undo', '2', '--json'])).out)).toMatchObject({
    id: 2,
    removed: 3,
    changed: 0,
    ordered: 0,
  })
})

test('--undo fails without a store, and creates none', async () => {
  const { code, err } = await load(['--undo', '1'])
  expect([code, err]).toEqual([1, expect.stringContaining('There is no store')])
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

test('an import that changed nothing has nothing to undo', async () => {
  const path = file('numbers.csv', 'number,name,category,status\nA1,Rex,Dog,sold\n')
  await load([path])
  expect((await load([path])).out).toBe('Imported 0 animals, 1 already there.\nThis is import 2.\n')
})

test('the printed command undoes the import', async () => {
  const { out } = await load([file('pets.csv', 'name,category\nRex,Dog\n')])
  const [, command = ''] = /To undo it: petstore pets import (.*)\n/.exec(out) ?? []
  expect((await load(command.split(' ').slice(0, 2))).out).toBe('Removed 1 animal of import 1.\n')
})

test('control characters of the file are not written to the terminal', async () => {
  const path = file('pets.csv', 'name,category,status\nRex,Dog,\u001b[2J\u009b\u202e\n')
  const { err } = await load([path])
  expect(err).toContain('not "\\u001b[2J')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the guarantee
  expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('a dry run says what an import needs: to skip invalid rows, and to choose an encoding', async () => {
  const bytes = Buffer.from('name,category,status\nDa\xf0,Dog,sold\n,Dog,sold\n', 'latin1')
  expect(await load([file('dogs.csv', bytes), '--dry-run'])).toEqual({
    code: 0,
    out: 'Would import 1 animal, skip 1 row.\nThis was a dry run: nothing was changed. An import needs --skip-invalid.\n',
    err: expect.stringMatching(
      /^The text of the file can be .*"Dağ".*: choose with --encoding [\w-]+ before an import\./,
    ),
  })
})

test('a dry run says what would happen and changes nothing, and --existing update changes animals by their numbers', async () => {
  await load([file('old.csv', 'number,name,category\nA1,Rex,Dog\nA2,Mia,Cat\n')])
  const path = file('new.csv', 'number,name,category,sex\nA1,Rexo,Dog,?!\nA2,Mia,Cat,\nA3,Bo,Dog,m\n')
  const tried = await load([path, '--existing', 'update', '--dry-run'])
  expect([tried.code, tried.out]).toEqual([
    0,
    'Would import 1 animal, change 1, 1 unchanged.\nThis was a dry run: nothing was changed.\n',
  ])
  expect(tried.err).toEndWith('Left out: line 2: sex cannot be read: "?!"\n')
  expect(countPets()).toBe(2)
  expect((await load([path])).out).toStartWith('Imported 1 animal, 2 already there.\n')
  expect((await load([path, '--existing', 'update'])).out).toStartWith('Imported 0 animals, changed 1, 2 unchanged.\n')
  const undone = await load(['--undo', '3'])
  expect(undone.out).toBe('Removed 0 animals of import 3.\nPut back what it had changed of 1 animal.\n')
})

test('- is standard input; the format is that of --format, else of the file name, else of the content', async () => {
  const object = '{"name":"Rex","category":"Dog"}\n'
  const csv = 'name,category\nTom,Cat\n'
  const imported = async (args: string[], stdin = '') => (await load(args, { stdin })).out.split('\n')[0]
  expect(await imported(['-'], object)).toBe('Imported 1 animal.')
  expect(await imported(['-'], csv)).toBe('Imported 1 animal.')
  expect(await imported(['-', '--format', 'ndjson'], csv)).toBe('')
  expect(await imported([file('pets.txt', object)])).toBe('Imported 1 animal.')
  expect(await imported([file('pets.JSONL', object)])).toBe('Imported 1 animal.')
  expect(await imported([file('pets.ndjson', csv)])).toBe('')
  expect(await imported([file('pets.csv', object)])).toBe('')
  expect(await imported([file('pets2.csv', object), '--format', 'NDJSON'])).toBe('Imported 1 animal.')
  expect(countPets()).toBe(5)
})

test.skipIf(!isBuilt)(
  'beside a server, the import and the undo of a command hold at once, and its audit log has them',
  async () => {
    const { path: cwd } = folder
    const server = await startPetstoreProcess([], { cwd })
    const get = async (path: string) => {
      const response = await fetch(server.ready.url + path, {
        headers: { Authorization: `Bearer ${server.ready.key}` },
      })
      return response.json()
    }
    file('pets.csv', 'name,category,status\nRex,Rabbit\n,Dog\nTom,Rabbit\n')
    const rejected = await runPetstore(['pets', 'import', 'pets.csv'], { cwd })
    expect([rejected.code, rejected.err]).toEqual([
      1,
      expect.stringMatching(/^line 3: name is blank\npetstore: [^\n]+\n$/),
    ])
    const imported = await runPetstore(['pets', 'import', 'pets.csv', '--skip-invalid'], { cwd })
    expect(imported).toEqual({
      code: 0,
      out: 'Imported 2 animals, skipped 1 row.\nThis is import 1. To undo it: petstore pets import --undo 1\n',
      err: 'line 3: name is blank\n',
    })
    expect(await get('/v1/pets')).toMatchObject([{ name: 'Rex' }, { name: 'Tom' }])
    expect(await get('/v1/imports')).toMatchObject([{ fileName: 'pets.csv', imported: 2, skipped: 1 }])
    expect((await runPetstore(['pets', 'import', '--undo', '1'], { cwd })).out).toBe(
      'Removed 2 animals and 1 category of import 1.\n',
    )
    expect(await get('/v1/pets')).toEqual([])
    expect(await get('/v1/audit?action=import')).toMatchObject([
      { action: 'import.undone', actor: 'command', accountId: 1 },
      { action: 'import.created', actor: 'command', accountId: 1, details: { importId: 1, fileName: 'pets.csv' } },
    ])
    await server.kill()
  },
)

test.skipIf(!isBuilt)('the animals of a store on another machine are imported, exported and removed', async () => {
  const server = await startPetstoreProcess([], { cwd: folder.path })
  const env = { PETSTORE_KEY: server.ready.key ?? '', PETSTORE_URL: server.ready.url }
  mkdirSync(join(folder.path, 'away'))
  const away = (args: string[], stdin = '') => runPetstore(args, { cwd: join(folder.path, 'away'), env, stdin })
  const { code, out } = await away(['pets', 'import', '-'], 'name,category\nRex,Dog\n')
  expect([code, out]).toEqual([
    0,
    `Imported 1 animal.\nThis is import 1. To undo it: petstore pets import --undo 1 --url ${server.ready.url}\n`,
  ])
  expect((await away(['pets', 'export', '--json'])).out).toBe(
    '[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]\n',
  )
  expect((await away(['pets', 'import', '--undo', '1'])).out).toBe('Removed 1 animal of import 1.\n')
  await server.kill()
})

test('an import that is killed while it reads leaves nothing', async () => {
  const main = resolve(import.meta.dir, '../../main.ts')
  const args = ['pets', 'import', '-', '--skip-invalid', '--data', join(folder.path, 'data')]
  const process = Bun.spawn([globalThis.process.execPath, main, ...args], { stdin: 'pipe', stderr: 'pipe' })
  // This is more than the pipe can buffer: once all of it is written, most of it was read.
  process.stdin.write(`name,category\n${'Rex,Rabbit\n'.repeat(100_000)},\n`)
  await process.stdin.flush()
  process.kill('SIGKILL')
  await process.exited
  expect(countPets()).toBe(0)
})

const shelter = resolve(import.meta.dir, '../../../data/shelter-outcomes.csv')

test("a real shelter's file adds the animals that have a name and skips the others", async () => {
  const { code, out, err } = await load([shelter, '--columns', 'name=Name,category=Type,status=', '--skip-invalid'])
  expect([code, out.split('\n')[0]]).toEqual([0, 'Imported 313 animals, skipped 187 rows.'])
  expect(err).toMatch(/^187 rows: name is blank \(lines \d+, \d+, \d+, …\)$/m)
  expect(countPets()).toBe(313)
})

test("the command of the guide imports the animals of a real shelter's file that left it alive", async () => {
  const chapter = readFileSync(resolve(import.meta.dir, '../../../docs/guide/import.md'), 'utf8')
  const [, options = ''] = /^petstore pets import outcomes\.csv ([^`]*)\n```/m.exec(chapter) ?? []
  const words = [...options.matchAll(/'([^']*)'|([^\s\\]+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const { code, out, err } = await load([shelter, ...words])
  expect([code, out.split('\n')[0]]).toEqual([0, 'Imported 445 animals, skipped 25 rows.'])
  expect(err).toContain('\n30 rows left out because of a word for the status or the category.\n')
  expect(err).not.toContain('name is blank')
})

test.skipIf(!isBuilt)(
  "the pages of the API and the export have the same animals of a real shelter's file",
  async () => {
    const { path: cwd } = folder
    const server = await startPetstoreProcess([], { cwd })
    const columns = ['--columns', 'name=Name,category=Type,status=', '--skip-invalid']
    expect((await runPetstore(['pets', 'import', shelter, ...columns], { cwd })).code).toBe(0)
    const exported = (await runPetstore(['pets', 'export', '--json'], { cwd })).out
    const headers = { Authorization: `Bearer ${server.ready.key}` }
    const paged: unknown[] = []
    let next: string | undefined = `${server.ready.url}/v1/pets?limit=100`
    while (next) {
      const page: Response = await fetch(next, { headers })
      paged.push(...((await page.json()) as unknown[]))
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    }
    await server.kill()
    expect(paged).toHaveLength(313)
    expect(JSON.parse(exported)).toEqual(paged)
  },
)
