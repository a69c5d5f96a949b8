/** `petstore pets import`: the animals of a file, with a bar while it is read and a line for each bad row. */

import { open } from 'node:fs/promises'
import { storeConfig } from '../config/config.ts'
import { list, type OptionValues, oneOf, text, UsageError } from '../config/values.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { systemReason } from '../lib/system-error.ts'
import { importPets } from '../transfer/import.ts'
import { parseColumns } from '../transfer/import-columns.ts'
import { type ImportFormat, importFormats } from '../transfer/import-read.ts'
import type { Command, Invocation } from './command.ts'
import { createImportReport, type ImportReport } from './pets-import-report.ts'
import { withNewStore } from './store.ts'

export const petsImport: Command = {
  name: 'pets import',
  summary: 'add the animals of a CSV or NDJSON file (- for standard input)',
  operands: 'FILE|-',
  arity: [1, 1],
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'the format',
      default: 'recognised from the file',
      choices: importFormats,
    },
    columns: {
      type: 'string',
      multiple: true,
      value: 'MAP',
      help: "the file's columns for name, category, categoryId and status, such as name=Name,category=Type; status= for none",
      default: 'the same names',
    },
    'skip-invalid': {
      type: 'boolean',
      help: 'leave bad rows out; without it one bad row imports nothing',
      default: 'off',
    },
  },
  completes: 'file',
  changesStore: true,
  examples: ['pets import animals.csv', 'pets import outcomes.csv --columns name=Name,category=Type --skip-invalid'],
  async run(invocation: Invocation) {
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

async function importFile({ values, positionals, terminal }: Invocation, report: ImportReport) {
  const [path = ''] = positionals
  const config = storeConfig(values)
  const format = formatOf(values, path)
  const columns = parseColumns(list(values, 'columns'))
  const source = path === '-' ? { chunks: terminal.input(), share: () => undefined } : await openFile(path)
  return withNewStore(config, async (store) => {
    const result = await importPets(store, {
      chunks: source.chunks,
      columns,
      format,
      skipsInvalid: values['skip-invalid'] === true,
      onBadRow: report.badRow,
      onProgress: (rows) => report.progress(rows, source.share()),
    })
    report.succeed(result.imported)
    // The animals are in; the search index follows in short transactions, so that a server's writes go between.
    while (store.write(() => store.pets.indexMore(20)));
  })
}

function formatOf(values: OptionValues, path: string): ImportFormat | undefined {
  const given = text(values, 'format')
  if (given !== undefined) return oneOf('format', importFormats, given)
  if (/\.csv$/i.test(path)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : undefined
}

const chunkBytes = 256 * 1024

/** The bytes of a file, and the share of them that was read if that can be told. */
async function openFile(path: string) {
  const refuse = (cause: unknown): never => {
    throw new AppError('not_found', `${path} can't be read: ${systemReason(cause)}.`, { cause })
  }
  const file = await open(path).catch(refuse)
  const stats = await file.stat()
  if (stats.isDirectory()) {
    await file.close()
    throw new AppError('not_found', `${path} is a folder, not a file.`)
  }
  let done = 0

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes).catch(refuse)
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
