import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, runPetstore } from '../../testing/executable.ts'
import { runHere, type TerminalOptions } from '../terminal/test-terminal.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** Runs a command in this process on the store of `folder`; its long output is passed to `write`. */
const petstore = (args: string[], write?: TerminalOptions['write']) =>
  runHere([...args, '--data', join(folder.path, 'data')], write && { write })

async function load(csv: string): Promise<void> {
  writeFileSync(join(folder.path, 'pets.csv'), csv)
  expect(await petstore(['pets', 'import', join(folder.path, 'pets.csv')])).toMatchObject({ code: 0 })
}

const animals = (count: number) =>
  `name,category\n${Array.from({ length: count }, (_, i) => `Rex ${i},Dog\n`).join('')}`

const header =
  'id,name,categoryId,category,status,number,breed,color,sex,birthDate,microchip,price,description,published,attributes'

test('the default format is CSV, and --json prints one document', async () => {
  await load('name,category\nRex,Dog\n')
  const csv = `${header}\r\n1,Rex,1,Dog,available,,,,,,,,,true,\r\n`
  expect(await petstore(['pets', 'export'])).toEqual({ code: 0, out: csv, err: '' })
  expect((await petstore(['pets', 'export', '--format', 'CSV'])).out).toBe(csv)
  expect((await petstore(['pets', 'export', '--format', 'ndjson'])).out).toStartWith(
    '{"id":1,"name":"Rex","categoryId":1,"category":"Dog","status":"available","number":null,',
  )
  expect((await petstore(['pets', 'export', '--json'])).out).toBe(
    '[{"id":1,"name":"Rex","categoryId":1,"status":"available"}]\n',
  )
})

test('--json prints one array of the animals of the API, of any number', async () => {
  await load('name,category\n')
  expect((await petstore(['pets', 'export', '--json'])).out).toBe('[]\n')
  await load(animals(2_500))
  const { out } = await petstore(['pets', 'export', '--json'])
  expect(JSON.parse(out).map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 2_500 }, (_, i) => i + 1))
})

test('wrong usage exits with 2 and prints one line', async () => {
  for (const wrong of [['--format', 'xml'], ['--format', 'csv', '--json'], ['pets.csv']]) {
    const { code, out, err } = await petstore(['pets', 'export', ...wrong])
    expect([code, out, err.split('\n').length]).toEqual([2, '', 2])
  }
})

test('nothing is read ahead of a slow reader', async () => {
  await load(animals(5_000))
  let waiting = 0
  const parts: string[] = []
  const readSlowly = async (text: string) => {
    waiting++
    expect(waiting).toBe(1)
    await new Promise(setImmediate)
    parts.push(text)
    waiting--
  }
  expect(await petstore(['pets', 'export'], readSlowly)).toMatchObject({ code: 0 })
  expect(parts.length).toBeGreaterThanOrEqual(5)
  expect(parts.join('').split('\r\n')).toHaveLength(5_002)
})

describe.skipIf(!isBuilt)('the executable', () => {
  const call = (...args: string[]) => runPetstore(args, { cwd: folder.path })
  /** Starts an export with `stdout` as its standard output. */
  const start = (stdout: number | 'pipe') =>
    Bun.spawn([executable, 'pets', 'export'], { cwd: folder.path, stdout, stderr: 'pipe', stdin: 'ignore' })

  test('exports an imported file again, byte for byte', async () => {
    const rows = [
      `1,'=x,1,Dog,sold,A-1,Labrador,Black,male,2024-03,985112345678903,,"Likes\nchildren;'=1",true,`,
      `2,''=1+1,2,Cat,available,,,,,,,,,false,"[{""label"":""Kennel"",""text"":""12""}]"`,
      `3,"O'Malley, ""Zoë""",7,Einhörner,pending,,,,,,,,,true,`,
      '',
    ]
    const file = [header, ...rows].join('\r\n')
    writeFileSync(join(folder.path, 'pets.csv'), file)
    expect((await call('pets', 'import', 'pets.csv')).code).toBe(0)
    expect(await call('pets', 'export')).toEqual({ code: 0, out: file, err: '' })
    const ndjson = (await call('pets', 'export', '--format', 'ndjson')).out
    const again = ['--data', 'again', '--format', 'ndjson']
    expect((await runPetstore(['pets', 'import', '-', ...again], { cwd: folder.path, stdin: ndjson })).code).toBe(0)
    expect((await call('pets', 'export', '--data', 'again')).out).toBe(file)
  })

  test('exits with 0 and prints no error when its reader closes the pipe', async () => {
    await load(animals(20_000))
    const process = start('pipe')
    if (typeof process.stdout === 'number' || !process.stdout) throw new Error('There is no pipe.')
    const reader = process.stdout.getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toStartWith(`${header}\r\n`)
    await reader.cancel()
    expect([await process.exited, await new Response(process.stderr).text()]).toEqual([0, ''])
  })

  const full = '/dev/full'
  if (!existsSync(full)) console.error(`SKIPPED: an export to a full disk needs ${full}.`)
  test.skipIf(!existsSync(full))('exits with 1 and one line if the disk of its output is full', async () => {
    await load(animals(10))
    const process = start(openSync(full, 'w'))
    const err = await new Response(process.stderr).text()
    expect([await process.exited, err]).toEqual([
      1,
      expect.stringMatching(/^petstore: The output can't be written: .*\n$/),
    ])
  })
})
