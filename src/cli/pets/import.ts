/** `petstore pets import`: adds the animals of a file, with a progress bar, or undoes an import. */

import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { list, type OptionValues, oneOf, text, UsageError } from '../../config/values.ts'
import { byteSize } from '../../lib/byte-size.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { systemReason } from '../../lib/system-error.ts'
import { encodings } from '../../shop/imports/file/encoding.ts'
import { describeProblem } from '../../shop/imports/file/findings.ts'
import { type ImportFormat, importFormats } from '../../shop/imports/file/read.ts'
import type { ImportResult, UndoneImport } from '../../shop/imports/schemas.ts'
import { idOf } from '../arguments.ts'
import { ServerEnded } from '../client/api-client.ts'
import { withClient, withNewClient } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { Interrupted, interruption } from '../terminal/interruption.ts'
import { count, localTime, plural, print } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'

export const petsImport: Command = {
  name: 'pets import',
  summary: 'add the animals of a CSV, NDJSON or spreadsheet file (- for standard input)',
  details:
    'A spreadsheet is an .xlsx, .ods or .xls file. CSV may be separated by commas, semicolons or tabs, in UTF-8, UTF-16 or an encoding of older spreadsheets. Columns with common names such as Type are recognised, and a status by its words. --undo removes the records that an import added, except those changed or ordered since.',
  operands: 'FILE|-',
  arity: [0, 1],
  options: {
    format: { value: 'FORMAT', help: 'the format', default: 'detected from the file', choices: importFormats },
    sheet: { value: 'NAME', help: 'the sheet of a spreadsheet', default: 'the first one' },
    encoding: {
      value: 'NAME',
      help: 'the encoding of a text file',
      default: 'detected from the file',
      choices: encodings,
    },
    columns: {
      multiple: true,
      value: 'MAP',
      help: "the file's columns for name, category, categoryId and status, such as name=Name,category=Type; name=Name|Tag takes the first column that has a value; #2 is the second column; status= uses no column",
      default: 'detected from the header',
    },
    statuses: {
      multiple: true,
      value: 'MAP',
      help: "the file's words for a status, such as Adopted=sold,Died=; an empty value leaves the rows out, * is any other word",
      default: 'none',
    },
    category: { value: 'NAME', help: 'one category for all animals', default: "the file's" },
    categories: {
      multiple: true,
      value: 'MAP',
      help: "the file's words for a category, such as Kitten=Cat,Unknown=; an empty value leaves the rows out, * is any other word",
      default: 'none',
    },
    'no-header': { help: 'no line names the columns: all lines are animals', default: 'detected' },
    'header-line': { value: 'N', help: 'the number of the line that names the columns', default: 'detected' },
    fill: {
      value: 'FIELD',
      help: 'a field whose empty cells have the value above them',
      default: 'none',
      choices: ['category'],
    },
    'skip-invalid': { help: 'skip invalid rows; without it one invalid row makes the import fail', default: 'off' },
    undo: { value: 'ID', help: 'undo the import with this id instead', default: 'none' },
  },
  completes: 'file',
  changesStore: true,
  examples: [
    'pets import animals.csv',
    "pets import old.csv --columns 'name=Name|Tag,category=Type' --skip-invalid",
    'pets import old.csv --columns status=Outcome --statuses Adopted=sold,Died=',
    'pets import dogs.csv --category Dog',
    'pets import --undo 1',
  ],
  async run(invocation: Invocation) {
    const { values, positionals, terminal } = invocation
    const undo = importToUndo(values, positionals)
    if (undo !== undefined) return await undoImport(invocation, undo)
    const report = createReport(terminal, systemClock, values['json'] === true)
    const result = await send(invocation, report).catch((error: unknown) => {
      throw report.failed(inOptionWords(error))
    })
    report.ended(result, onStore(invocation, `petstore pets import --undo ${result.id}`))
    if (result.rejection !== null) throw new AppError('invalid_body', result.rejection)
    return 0
  },
}

/** The id of the import to undo, or undefined without `--undo`. */
function importToUndo(values: OptionValues, positionals: readonly string[]): number | undefined {
  const given = text(values, 'undo')
  if (given === undefined) {
    if (positionals.length === 0) throw new UsageError('An argument is missing: petstore pets import FILE|-.')
    return undefined
  }
  const others = Object.keys(petsImport.options ?? {}).filter((name) => name !== 'undo' && values[name] !== undefined)
  if (positionals.length > 0 || others.length > 0)
    throw new UsageError('--undo ID accepts neither a file nor the options of an import.')
  return idOf('--undo', given)
}

/** Removes the records that an import added, except those changed or ordered since. */
async function undoImport(invocation: Invocation, importId: number): Promise<number> {
  const { terminal } = invocation
  const bar = createProgress(terminal, systemClock)
  bar.update(`Undoing import ${importId}`)
  const undo = withClient(invocation, (client) => client.call<UndoneImport>('DELETE', `/imports/${importId}`))
  const done = await undo.finally(bar.clear)
  const { id, removed, changed, ordered } = done
  print(invocation, { id, removed, changed, ordered }, describeUndone(done))
  return 0
}

function describeUndone({ id, removed, removedCategories, changed, ordered }: UndoneImport): string {
  const named = removedCategories === 1 ? '1 category' : `${count(removedCategories)} categories`
  const categories = removedCategories > 0 ? ` and ${named}` : ''
  const lines = [`Removed ${plural(removed, 'animal')}${categories} of import ${id}.`]
  const reasons = [
    ...(changed > 0 ? [`${plural(changed, 'animal')} changed since the import`] : []),
    ...(ordered > 0 ? [`${plural(ordered, 'animal')} ordered since`] : []),
  ]
  if (reasons.length > 0) lines.push(`Kept ${reasons.join(' and ')}.`)
  return lines.join('\n')
}

async function send(invocation: Invocation, report: ImportReport): Promise<ImportResult> {
  const { values, positionals, terminal } = invocation
  const [path = ''] = positionals
  const query = queryOf(values, path)
  const format = formatOf(values, path)
  const source = path === '-' ? undefined : await openFile(path)

  const interrupted = interruption(terminal, {
    ifUnsent: 'Nothing was imported.',
    ifSent:
      'The service may still add the animals that it has received. The dashboard lists imports and can undo them.',
  })

  async function* body(): AsyncGenerator<Uint8Array> {
    yield* source?.read() ?? terminal.input()
    interrupted.sent()
    report.adding()
  }

  try {
    return await withNewClient(invocation, async (client) => {
      const result = await client.upload<ImportResult>(`/imports?${query}`, {
        type: mediaTypes[format],
        body: body(),
        signal: interrupted.signal,
        onProgress: (bytes) => report.sent(bytes, source?.size ? bytes / source.size : undefined),
      })
      return withOptionWords(result)
    })
  } finally {
    await source?.close()
  }
}

const mediaTypes = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  detected: 'application/octet-stream',
} as const

function queryOf(values: OptionValues, path: string): string {
  const encoding = text(values, 'encoding')
  const parameters: Readonly<Record<string, string | undefined>> = {
    // Names have at most 255 bytes; escaped characters are longer.
    fileName: path === '-' ? undefined : printable(basename(path).toWellFormed()).slice(0, 255),
    sheet: text(values, 'sheet'),
    encoding: encoding && oneOf('encoding', encodings, encoding),
    columns: list(values, 'columns').join(','),
    statuses: list(values, 'statuses').join(','),
    categories: list(values, 'categories').join(','),
    category: text(values, 'category'),
    hasHeader: values['no-header'] === true ? 'false' : undefined,
    headerLine: text(values, 'header-line'),
    fill: text(values, 'fill'),
    skipInvalid: values['skip-invalid'] === true ? 'true' : undefined,
    listInvalid: 'true',
  }
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&')
}

/** The API names its parameters; whoever uses the command knows its options. */
function optionWords(message: string): string {
  return message
    .replace(/^(columns|statuses|category|categories|sheet):/, '--$1:')
    .replace(/^headerLine/, '--header-line')
    .replaceAll(' columns=', ' --columns ')
    .replaceAll(' category=NAME', ' --category NAME')
    .replaceAll(' fill=category', ' --fill category')
    .replaceAll(/ (sheet|encoding)=/g, ' --$1 ')
    .replaceAll(' with statuses,', ' with --statuses,')
    .replaceAll(' with skipInvalid=true', ' with --skip-invalid')
}

function inOptionWords(error: unknown): unknown {
  if (!(error instanceof AppError) || error instanceof ServerEnded) return error
  const message = optionWords(error.message)
  return error.code === 'invalid_parameter'
    ? new UsageError(message)
    : new AppError(error.code, message, { cause: error })
}

function withOptionWords(result: ImportResult): ImportResult {
  const inWords = <T extends { message: string }>(one: T) => ({ ...one, message: optionWords(one.message) })
  return {
    ...result,
    errors: result.errors.map(inWords),
    problems: result.problems.map(inWords),
    notes: result.notes.map(inWords),
    rejection: result.rejection && optionWords(result.rejection),
  }
}

function formatOf(values: OptionValues, path: string): ImportFormat | 'detected' {
  const given = text(values, 'format')
  if (given !== undefined) return oneOf('format', importFormats, given)
  if (/\.csv$/i.test(path)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'detected'
}

const chunkBytes = 256 * 1024

/** Opens a file; its size is 0 if it is unknown, as that of a pipe. Throws `not_found`. */
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

  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes).catch(fail)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  }

  return { read, size: stats.size, close: () => file.close() }
}

type ImportReport = ReturnType<typeof createReport>

/** The number of problems that a terminal shows; a file or pipe gets all of them. */
const shownOnTerminal = 40

/** The number of unused columns that are named. */
const namedColumns = 20

/** What is printed of a result, also of one that failed. */
type Findings = Pick<ImportResult, 'errors' | 'problems' | 'unusedColumns' | 'guessedColumns' | 'notes' | 'rejection'>
type Counts = Pick<ImportResult, 'id' | 'imported' | 'skipped' | 'leftOut'>

const nothingFound: Findings = {
  errors: [],
  problems: [],
  unusedColumns: [],
  guessedColumns: [],
  notes: [],
  rejection: null,
}

/**
 * The output of an import: its progress, the problems of invalid rows, and the result. With `isJson`, one document at
 * the end: `{id, imported, skipped, leftOut, errors: [{line, message}], problems, unusedColumns, notes}`.
 */
function createReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)

  function end({ id, imported, skipped, leftOut }: Counts, findings: Findings): void {
    bar.clear()
    const { errors, problems, unusedColumns, guessedColumns, notes, rejection } = findings
    if (isJson) {
      terminal.out(`${JSON.stringify({ id, imported, skipped, leftOut, errors, problems, unusedColumns, notes })}\n`)
      return
    }
    const guessed = guessedColumns.map(({ field, column }) => `${field}=${column}`).join(', ')
    if (guessed !== '') terminal.err(`Guessed columns: ${printable(guessed)}.\n`)
    if (unusedColumns.length > 0) terminal.err(`Unused columns: ${printable(namesOf(unusedColumns))}.\n`)
    for (const { message } of notes) terminal.err(`${printable(message)}\n`)
    const shown = problems.map(describeProblem).filter((text) => !rejection?.includes(text))
    const limit = terminal.errColumns === undefined ? shown.length : shownOnTerminal
    for (const text of shown.slice(0, limit)) terminal.err(`${printable(text)}\n`)
    if (shown.length > limit) {
      terminal.err(`… and ${plural(shown.length - limit, 'more problem')}: --json or 2> FILE shows them all\n`)
    }
  }

  return {
    /** `share` is the part of the file that was sent, from 0 to 1, or undefined if its size is unknown. */
    sent: (bytes: number, share: number | undefined): void => bar.update(byteSize(bytes), share),
    /** The whole file was sent. */
    adding(): void {
      bar.clear()
      bar.update('Adding the animals')
    },
    /** Prints the response; `undo` is the command that undoes the import. */
    ended(result: ImportResult, undo: string): void {
      end(result, result)
      const { id, imported, skipped, unnamedCategories, previousImportId, previousImportedAt, rejection } = result
      if (rejection !== null) return
      if (unnamedCategories.length > 0) terminal.err(`Categories without a name: ${unnamedCategories.join(', ')}.\n`)
      if (previousImportId !== null && previousImportedAt !== null) {
        const before = `import ${previousImportId} on ${localTime(previousImportedAt)}`
        terminal.err(`This file was imported before: ${before}. To remove what was added now: ${undo}\n`)
      }
      if (isJson) return
      const rest = skipped > 0 ? `, skipped ${plural(skipped, 'row')}` : ''
      terminal.out(`Imported ${plural(imported, 'animal')}${rest}.\nThis is import ${id}. To undo it: ${undo}\n`)
    },
    /** Prints an error that no row has caused, which is listed with line 0; returns the error. */
    failed(error: unknown): unknown {
      bar.clear()
      // What was imported is then unknown.
      if (!(error instanceof AppError) || error instanceof ServerEnded || error instanceof Interrupted) return error
      end(
        { id: null, imported: 0, skipped: 0, leftOut: 0 },
        { ...nothingFound, errors: [{ line: 0, message: error.message }] },
      )
      return error
    },
  }
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
