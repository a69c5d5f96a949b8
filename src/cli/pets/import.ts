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
import { existingModes } from '../../shop/imports/plan.ts'
import type { ImportResult, UndoneImport } from '../../shop/imports/schemas.ts'
import { dateOrders } from '../../shop/imports/values/dates.ts'
import { idOf } from '../arguments.ts'
import { type Client, ServerEnded } from '../client/api-client.ts'
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
    'A spreadsheet is an .xlsx, .ods or .xls file. CSV may be separated by commas, semicolons or tabs, in UTF-8, UTF-16 or an encoding of older spreadsheets. Columns with common names such as Type are recognised, and a status by its words. --undo removes the records that an import added, except those changed or ordered since, and puts back what it changed.',
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
      help: "the file's columns for name, category, categoryId, status and the members of a profile (number, breed, color, sex, birthDate, microchip, price, description, published), such as name=Name,category=Type; name=Name|Tag takes the first column that has a value; #2 is the second column; status= uses no column",
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
    attributes: {
      value: 'COLUMNS',
      help: 'the columns that become attributes of the profile, such as Kennel|Vaccinated, or all that are not used otherwise',
      default: 'none',
    },
    dates: {
      value: 'ORDER',
      help: 'whether dates such as 03/04/2024 begin with the day or the month',
      default: 'detected from other dates',
      choices: dateOrders,
    },
    existing: {
      value: 'WAY',
      help: 'what becomes of rows whose number an animal has: skip them, or update that animal',
      default: 'skip',
      choices: existingModes,
    },
    'dry-run': { help: 'only check the file, and change nothing', default: 'off' },
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
    'pets import list.csv --existing update --dry-run',
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
  const { removedCategories: _, ...counts } = done
  print(invocation, counts, describeUndone(done))
  return 0
}

function describeUndone({
  id,
  removed,
  removedCategories,
  changed,
  ordered,
  restored,
  notRestored,
}: UndoneImport): string {
  const named = removedCategories === 1 ? '1 category' : `${count(removedCategories)} categories`
  const categories = removedCategories > 0 ? ` and ${named}` : ''
  const lines = [`Removed ${plural(removed, 'animal')}${categories} of import ${id}.`]
  const reasons = [
    ...(changed > 0 ? [`${plural(changed, 'animal')} changed since the import`] : []),
    ...(ordered > 0 ? [`${plural(ordered, 'animal')} ordered since`] : []),
  ]
  if (reasons.length > 0) lines.push(`Kept ${reasons.join(' and ')}.`)
  if (restored > 0) lines.push(`Put back what it had changed of ${plural(restored, 'animal')}.`)
  if (notRestored > 0) lines.push(`${plural(notRestored, 'animal')} can't be put back completely.`)
  return lines.join('\n')
}

async function send(invocation: Invocation, report: ImportReport): Promise<ImportResult> {
  const { values, positionals, terminal } = invocation
  const [path = ''] = positionals
  const isTrial = values['dry-run'] === true
  const format = formatOf(values, path)
  const source = path === '-' ? undefined : await openFile(path)

  const interrupted = interruption(terminal, {
    ifUnsent: 'Nothing was imported.',
    ifSent:
      'The service may still add the animals that it has received. The dashboard lists imports and can undo them.',
  })

  async function* body(dryRun: boolean): AsyncGenerator<Uint8Array> {
    yield* source?.read() ?? terminal.input()
    if (dryRun) return
    interrupted.sent()
    report.adding()
  }

  async function upload(client: Client, dryRun: boolean): Promise<ImportResult> {
    const result = await client.upload<ImportResult>(`/imports?${queryOf(values, path, dryRun)}`, {
      type: mediaTypes[format],
      body: body(dryRun),
      signal: interrupted.signal,
      onProgress: (bytes) => report.sent(bytes, source?.size ? bytes / source.size : undefined),
    })
    return withOptionWords(result)
  }

  try {
    return await withNewClient(invocation, async (client) => {
      // Only a file can be read twice. What is wrong with it is reported the second time.
      if (source?.size && !isTrial) report.tried((await upload(client, true)).notes)
      return await upload(client, isTrial)
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

function queryOf(values: OptionValues, path: string, dryRun: boolean): string {
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
    attributes: text(values, 'attributes'),
    dates: text(values, 'dates'),
    existing: text(values, 'existing'),
    dryRun: dryRun ? 'true' : undefined,
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
    .replace(/^(columns|statuses|category|categories|attributes|sheet):/, '--$1:')
    .replace(/^headerLine/, '--header-line')
    .replaceAll(' columns=', ' --columns ')
    .replaceAll(' category=NAME', ' --category NAME')
    .replaceAll(' fill=category', ' --fill category')
    .replaceAll(/ (sheet|encoding)=/g, ' --$1 ')
    .replaceAll(/ dates=(dmy|mdy)/g, ' --dates $1')
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
    unreadValues: result.unreadValues.map(inWords),
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

  /** Reads from the beginning; a pipe can be read once. */
  async function* read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      const position = stats.size > 0 ? at : null
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position).catch(fail)
      if (bytesRead === 0) return
      at += bytesRead
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
type Findings = Pick<
  ImportResult,
  'errors' | 'problems' | 'unreadValues' | 'unusedColumns' | 'guessedColumns' | 'notes' | 'rejection'
>
type Counts = Pick<ImportResult, 'id' | 'imported' | 'changed' | 'unchanged' | 'alreadyThere' | 'skipped' | 'leftOut'>

const nothingDone: Counts = {
  id: null,
  imported: 0,
  changed: 0,
  unchanged: 0,
  alreadyThere: 0,
  skipped: 0,
  leftOut: 0,
}

const nothingFound: Findings = {
  errors: [],
  problems: [],
  unreadValues: [],
  unusedColumns: [],
  guessedColumns: [],
  notes: [],
  rejection: null,
}

/**
 * The output of an import: its progress, the problems of invalid rows, and the result. With `isJson`, one document at
 * the end: `{id, imported, changed, unchanged, alreadyThere, skipped, leftOut, errors: [{line, message}], problems,
 * unreadValues, unusedColumns, notes}`.
 */
function createReport(terminal: Terminal, clock: Pick<Clock, 'monotonic'>, isJson: boolean) {
  const bar = createProgress(terminal, clock)

  function end(counts: Counts, findings: Findings): void {
    bar.clear()
    const { errors, problems, unreadValues, unusedColumns, guessedColumns, notes, rejection } = findings
    if (isJson) {
      const { id, imported, changed, unchanged, alreadyThere, skipped, leftOut } = counts
      const numbers = { id, imported, changed, unchanged, alreadyThere, skipped, leftOut }
      terminal.out(`${JSON.stringify({ ...numbers, errors, problems, unreadValues, unusedColumns, notes })}\n`)
      return
    }
    const guessed = guessedColumns.map(({ field, column }) => `${field}=${column}`).join(', ')
    if (guessed !== '') terminal.err(`Guessed columns: ${printable(guessed)}.\n`)
    if (unusedColumns.length > 0) terminal.err(`Unused columns: ${printable(namesOf(unusedColumns))}.\n`)
    for (const { message } of notes) terminal.err(`${printable(message)}\n`)
    const left = unreadValues.map((value) => `Left out: ${describeProblem(value)}`)
    const shown = [...left, ...problems.map(describeProblem).filter((text) => !rejection?.includes(text))]
    const limit = terminal.errColumns === undefined ? shown.length : shownOnTerminal
    for (const text of shown.slice(0, limit)) terminal.err(`${printable(text)}\n`)
    if (shown.length > limit) {
      terminal.err(`… and ${plural(shown.length - limit, 'more problem')}: --json or 2> FILE shows them all\n`)
    }
  }

  return {
    /** `share` is the part of the file that was sent, from 0 to 1, or undefined if its size is unknown. */
    sent: (bytes: number, share: number | undefined): void => bar.update(byteSize(bytes), share),
    /** Prints what the owner should know before anything is added. */
    tried(notes: ImportResult['notes']): void {
      bar.clear()
      for (const { kind, message } of notes) if (kind === 'already_there') terminal.err(`${printable(message)}\n`)
    },
    /** The whole file was sent. */
    adding(): void {
      bar.clear()
      bar.update('Adding the animals')
    },
    /** Prints the response; `undo` is the command that undoes the import. */
    ended(result: ImportResult, undo: string): void {
      end(result, result)
      const { id, unnamedCategories, previousImportId, previousImportedAt, rejection } = result
      if (rejection !== null) return
      if (unnamedCategories.length > 0) terminal.err(`Categories without a name: ${unnamedCategories.join(', ')}.\n`)
      if (previousImportId !== null && previousImportedAt !== null) {
        const before = `import ${previousImportId} on ${localTime(previousImportedAt)}`
        const advice = id === null ? '' : ` To remove what was added now: ${undo}`
        terminal.err(`This file was imported before: ${before}.${advice}\n`)
      }
      if (isJson) return
      const next =
        id === null ? 'This was a dry run: nothing was changed.' : `This is import ${id}. To undo it: ${undo}`
      terminal.out(`${describeCounts(result)}.\n${next}\n`)
    },
    /** Prints an error that no row has caused, which is listed with line 0; returns the error. */
    failed(error: unknown): unknown {
      bar.clear()
      // What was imported is then unknown.
      if (!(error instanceof AppError) || error instanceof ServerEnded || error instanceof Interrupted) return error
      end(nothingDone, { ...nothingFound, errors: [{ line: 0, message: error.message }] })
      return error
    },
  }
}

function describeCounts({ id, imported, changed, unchanged, alreadyThere, skipped }: Counts): string {
  const parts = [
    `${id === null ? 'Would import' : 'Imported'} ${plural(imported, 'animal')}`,
    ...(changed > 0 ? [`${id === null ? 'change' : 'changed'} ${count(changed)}`] : []),
    ...(skipped > 0 ? [`${id === null ? 'skip' : 'skipped'} ${plural(skipped, 'row')}`] : []),
    ...(unchanged > 0 ? [`${count(unchanged)} unchanged`] : []),
    ...(alreadyThere > 0 ? [`${count(alreadyThere)} already there`] : []),
  ]
  return parts.join(', ')
}

function namesOf(columns: readonly string[]): string {
  const more = columns.length - namedColumns
  const named = columns.slice(0, namedColumns).join(', ')
  return more > 0 ? `${named} and ${plural(more, 'more column')}` : named
}
