import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { utils, type WorkBook, write } from '@e965/xlsx'
import { createWorkspace, isBuilt, type PetstoreProcess, type Workspace } from '../../../testing/executable.ts'

const animals = (count: number) => [
  ['Name', 'Species'],
  ...Array.from({ length: count }, (_, index) => [`Animal ${index + 1}`, 'Dog']),
]

function bytesOf(sheets: Readonly<Record<string, readonly (readonly string[])[]>>, bookType: 'xlsx' | 'ods' | 'biff8') {
  const book: WorkBook = utils.book_new()
  for (const [name, rows] of Object.entries(sheets)) {
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows.map((row) => [...row])), name)
  }
  return write(book, { type: 'buffer', bookType, compression: true }) as Buffer
}

describe.skipIf(!isBuilt)('the executable', () => {
  let workspace: Workspace
  let server: PetstoreProcess
  beforeAll(async () => {
    workspace = createWorkspace()
    server = await workspace.serve()
  })
  afterAll(() => workspace.close())

  async function send(bytes: Uint8Array, type: string, query: string) {
    const response = await fetch(`${server.ready.url}/v1/imports?${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.ready.key}`, 'Content-Type': type },
      body: new Blob([bytes as never]),
    })
    return { status: response.status, ...((await response.json()) as Record<string, unknown>) }
  }

  test('imports a spreadsheet of any kind, whatever type it is sent as', async () => {
    const sheets = { Animals: animals(3), Sold: animals(5) }
    const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    for (const [kind, type] of [
      ['xlsx', xlsx],
      ['ods', 'application/octet-stream'],
      ['biff8', 'text/csv'],
    ] as const) {
      const bytes = bytesOf(sheets, kind)
      expect(await send(bytes, type, 'dryRun=true')).toMatchObject({
        imported: 3,
        sheet: { name: 'Animals', sheets: ['Animals', 'Sold'] },
        file: { columns: [{ name: 'Name' }, { name: 'Species' }] },
      })
      expect(await send(bytes, type, 'sheet=sold')).toMatchObject({ status: 201, imported: 5, sheet: { name: 'Sold' } })
    }
    expect(await send(bytesOf(sheets, 'xlsx'), xlsx, 'sheet=Stock')).toMatchObject({ code: 'invalid_parameter' })
    expect(await send(Buffer.from('name,category\nRex,Dog\n'), 'text/csv', 'sheet=Stock')).toMatchObject({
      code: 'invalid_parameter',
      message: 'sheet: the file is no spreadsheet, and has no sheets.',
    })
    const damaged = await send(bytesOf(sheets, 'xlsx').subarray(0, -50), xlsx, 'listInvalid=true')
    expect(damaged).toMatchObject({
      status: 200,
      rejection: 'Nothing was imported: the spreadsheet is damaged: open it in its program, and save it again.',
    })
  })

  test('a spreadsheet that would unpack to more than 500 MiB is rejected before it is unpacked', async () => {
    const bytes = bytesOf({ Animals: animals(1) }, 'xlsx')
    // The size of the first part, in the central directory.
    bytes.writeUInt32LE(600 * 2 ** 20, bytes.indexOf('PK\x01\x02') + 24)
    expect(await send(bytes, 'application/octet-stream', '')).toMatchObject({
      status: 400,
      message: 'Nothing was imported: the spreadsheet is larger than 500 MiB when it is unpacked: split it.',
    })
  })

  test('the command reads the sheet that it is given, and prints the names of the others', async () => {
    const path = join(workspace.path, 'stock.xlsx')
    writeFileSync(
      path,
      bytesOf(
        {
          Notes: [
            ['Name', 'Species'],
            ['Rex', 'Dog'],
          ],
          Animals: animals(4),
        },
        'xlsx',
      ),
    )
    const first = await workspace.run('pets', 'import', path)
    expect(first.err).toContain('Read the sheet "Notes": --sheet NAME reads another (Animals).\n')
    expect(first.out).toContain('Imported 1 animal.')
    expect((await workspace.run('pets', 'import', path, '--sheet', 'Animals')).out).toContain('Imported 4 animals.')
  })
})
