/** Sends the file of `petstore pets import`, with its options as the parameters of the API. */

import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { list, type OptionValues, oneOf, text, UsageError } from '../../config/values.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { systemReason } from '../../lib/system-error.ts'
import { encodings } from '../../shop/imports/file/encoding.ts'
import { type ImportFormat, importFormats } from '../../shop/imports/file/read.ts'
import type { ImportResult } from '../../shop/imports/schemas.ts'
import { type Client, ServerEnded } from '../client/api-client.ts'
import { withNewClient } from '../client/client.ts'
import type { Invocation } from '../command.ts'
import { interruption } from '../terminal/interruption.ts'
import type { ImportReport } from './import-report.ts'

/** Imports the file, or checks it with `--dry-run`. Throws errors in the words of the options. */
export async function importFile(invocation: Invocation, report: ImportReport): Promise<ImportResult> {
  return await send(invocation, report).catch((error: unknown) => {
    throw inOptionWords(error)
  })
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
