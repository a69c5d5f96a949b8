/** `petstore pets import`: adds the animals of a file, with a progress bar, or undoes an import. */

import { open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { storeAccount } from '../access/accounts/store-account.ts'
import { type StoreConfig, storeConfig } from '../config/config.ts'
import { list, type OptionValues, oneOf, text, UsageError } from '../config/values.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import { parseColumns } from '../shop/imports/file/columns.ts'
import { type ImportFormat, importFormats } from '../shop/imports/file/read.ts'
import { parseStatuses } from '../shop/imports/file/statuses.ts'
import { importPets } from '../shop/imports/import.ts'
import { idOf } from './arguments.ts'
import type { Command, Invocation } from './command.ts'
import { createImportReport, type ImportReport } from './pets-import-report.ts'
import { undoImport } from './pets-import-undo.ts'
import { shellWord } from './shell-words.ts'
import { withNewStore } from './store.ts'

export const petsImport: Command = {
  name: 'pets import',
  isLocal: true,
  summary: 'add the animals of a CSV or NDJSON file (- for standard input)',
  details:
    'CSV may be separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252. Columns with common names such as Type are recognised. --undo removes the records that an import added, except those changed or ordered since.',
  operands: 'FILE|-',
  arity: [0, 1],
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'the format',
      default: 'detected from the file',
      choices: importFormats,
    },
    columns: {
      type: 'string',
      multiple: true,
      value: 'MAP',
      help: "the file's columns for name, category, categoryId and status, such as name=Name,category=Type; of name=Name|Tag the first that has a value; #2 for the second column; an empty value, such as status=, for no column",
      default: 'the same or common names',
    },
    statuses: {
      type: 'string',
      multiple: true,
      value: 'MAP',
      help: "the file's words for a status, such as Adopted=sold,Returned=available",
      default: 'none',
    },
    'skip-invalid': {
      type: 'boolean',
      help: 'skip invalid rows; without it one invalid row makes the import fail',
      default: 'off',
    },
    undo: { type: 'string', value: 'ID', help: 'undo the import with this id instead', default: 'none' },
  },
  completes: 'file',
  changesStore: true,
  examples: [
    'pets import animals.csv',
    "pets import old.csv --columns 'name=Name|Tag,category=Type' --skip-invalid",
    'pets import old.csv --columns status=Outcome --statuses Adopted=sold,Returned=available',
    'pets import --undo 1',
  ],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const undo = importToUndo(values, positionals)
    if (undo !== undefined) {
      await undoImport(storeConfig(values), undo, terminal, values['json'] === true)
      return 0
    }
    const report = createImportReport(invocation.terminal, systemClock, invocation.values['json'] === true)
    try {
      await importFile(invocation, report)
      return 0
    } catch (error) {
      const isUsage = error instanceof AppError && error.code === 'invalid_parameter'
      const failure = isUsage ? new UsageError(error.message) : error
      report.fail(failure)
      throw failure
    }
  },
}

/** The id of the import to undo, or undefined without `--undo`. */
function importToUndo(values: OptionValues, positionals: readonly string[]): number | undefined {
  const given = text(values, 'undo')
  if (given === undefined) {
    if (positionals.length === 0) throw new UsageError('An argument is missing: petstore pets import FILE|-.')
    return undefined
  }
  const others = ['format', 'columns', 'statuses', 'skip-invalid'].filter((name) => values[name] !== undefined)
  if (positionals.length > 0 || others.length > 0)
    throw new UsageError('--undo ID accepts neither a file nor the options of an import.')
  return idOf('--undo', given)
}

async function importFile({ values, positionals, terminal }: Invocation, report: ImportReport) {
  const [path = ''] = positionals
  const config = storeConfig(values)
  const format = formatOf(values, path)
  const columns = parseColumns(list(values, 'columns'))
  const statuses = parseStatuses(list(values, 'statuses'))
  const source = path === '-' ? { chunks: terminal.input(), share: () => undefined } : await openFile(path)
  return withNewStore(config, async (store) => {
    const result = await importPets(store, {
      chunks: source.chunks,
      fileName: path === '-' ? undefined : basename(path),
      nowMs: systemClock.now(),
      columns,
      statuses,
      format,
      skipsInvalid: values['skip-invalid'] === true,
      findings: report.findings,
      onBatch: (rows) => report.progress(rows, source.share()),
      onCommit({ id, imported, skipped }, nowMs) {
        const context = { actor: 'command', nowMs } as const
        const details = { importId: id, imported, skipped, fileName: path === '-' ? null : basename(path) }
        const accountId = storeAccount(store, context).id
        store.audit.record(context, { action: 'import.created', accountId, details })
      },
    })
    report.succeed(result, undoCommand(config, result.id))
  })
}

/** A command line to paste into a shell in the same directory. */
function undoCommand({ dataDirectory, environment }: StoreConfig, id: number): string {
  const data = dataDirectory === resolve('data') ? '' : ` --data ${shellWord(dataDirectory)}`
  return `petstore pets import --undo ${id}${data}${environment === 'production' ? '' : ` --environment ${environment}`}`
}

function formatOf(values: OptionValues, path: string): ImportFormat | undefined {
  const given = text(values, 'format')
  if (given !== undefined) return oneOf('format', importFormats, given)
  if (/\.csv$/i.test(path)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : undefined
}

const chunkBytes = 256 * 1024

/** The bytes of a file, and the share of them that was read, or undefined if the size is unknown. */
async function openFile(path: string) {
  const fail = (cause: unknown): never => {
    throw new AppError('not_found', `${path} can't be read: ${systemReason(cause)}.`, { cause })
  }
  const file = await open(path).catch(fail)
  const stats = await file.stat()
  if (stats.isDirectory()) {
    await file.close()
    throw new AppError('not_found', `${path} is a directory, not a file.`)
  }
  let done = 0

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes).catch(fail)
        if (bytesRead === 0) return
        done += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  }

  // A pipe has no size.
  return { chunks: read(), share: () => (stats.size > 0 ? done / stats.size : undefined) }
}
