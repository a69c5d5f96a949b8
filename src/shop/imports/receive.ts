/** Imports the animals of an upload: its rows are checked while it arrives, and added in one transaction. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { type AuditStore, auditContextOf } from '../../access/audit/store.ts'
import type { EventWriter } from '../../access/events/log.ts'
import type { StepsResponse, Upload } from '../../api/endpoint.ts'
import type { Principal } from '../../api/principal.ts'
import { timeOrNull } from '../../api/schemas.ts'
import type { UploadTurns } from '../../api/upload-turns.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { type AddStores, addImport } from './add.ts'
import { createFileCategories } from './categories.ts'
import { checkFile, InvalidFile, invalidRows, type SpreadsheetReader } from './check.ts'
import { createFindings, describeProblem, type Findings, type Problem } from './file/findings.ts'
import type { ImportFormat } from './file/read.ts'
import { parseReading, type Reading, type ReadingParameters } from './file/reading.ts'
import { maximumFileBytes } from './rules.ts'
import {
  type ImportResult,
  toEncoding,
  toFileView,
  toGuesses,
  toImport,
  toImportedPets,
  toNotes,
  toSheet,
} from './schemas.ts'
import { createStage } from './stage.ts'
import type { ImportRow } from './store.ts'

export interface ReceiveParts extends AddStores, StoreAccountStores {
  readonly audit: AuditStore
  readonly events: EventWriter
  readonly turns: Turns
  readonly importTurns: UploadTurns
  /** Undefined if this process is no petstore, as in test suites. */
  readonly spreadsheets: SpreadsheetReader | undefined
  readonly clock: Pick<Clock, 'now'>
}

export interface ReceiveOptions extends ReadingParameters {
  /** If undefined, it is detected from the file's first character. */
  readonly format: ImportFormat | undefined
  readonly fileName?: string
  readonly skipInvalid: boolean
  /** Whether the response to a file that its rows keep from being imported lists them. */
  readonly listInvalid: boolean
  readonly dryRun: boolean
}

/**
 * Imports a file, or only checks it. Throws the errors of `checkFile`, `invalid_body` if a row is invalid and invalid
 * rows are not skipped, `too_busy` if too many imports are running, and `storage_unavailable` if the service stops.
 */
export async function receiveImport(
  parts: ReceiveParts,
  body: Upload,
  options: ReceiveOptions,
  principal: Principal,
): Promise<StepsResponse> {
  const { importTurns } = parts
  const reading = parseReading(options)
  const leave = importTurns.enter(principal.accountId, body.idempotencyKey)
  try {
    // A file is in memory from here on: others wait before they are read.
    return await importTurns.run(principal.accountId, (signal) =>
      checkAndAdd(parts, body, { ...options, ...reading }, principal, signal),
    )
  } finally {
    leave()
  }
}

type CheckOptions = Omit<ReceiveOptions, keyof ReadingParameters> & Reading

async function checkAndAdd(
  parts: ReceiveParts,
  body: Upload,
  options: CheckOptions,
  principal: Principal,
  signal: AbortSignal,
): Promise<StepsResponse> {
  const { dryRun, skipInvalid, listInvalid, fileName = null } = options
  const stage = createStage()
  const categories = createFileCategories()
  const findings = createFindings({ keepsText: dryRun })
  const chunks = readWhole(body.chunks)
  try {
    const checked = await checkFile({
      ...options,
      spreadsheets: parts.spreadsheets,
      chunks: chunks.content(() => signal.throwIfAborted()),
      // A dry run examines the rows after an invalid one, too, and keeps none.
      skipsInvalid: skipInvalid || dryRun,
      mayLackColumns: dryRun,
      findings,
      onAnimals(animals) {
        for (const { category } of animals) categories.see(category)
        if (!dryRun) stage.add(animals)
      },
      onBatch: () => parts.turns(() => signal.throwIfAborted()),
    })
    if (checked.skipped > 0 && !skipInvalid && !dryRun) {
      const error = invalidRows(checked, findings)
      throw listInvalid ? error : withProblems(error, findings.problems())
    }
    const content = { ...checked, fileName, createdAt: parts.clock.now() }
    const found = () => ({
      newCategories: categories.newNames(parts.categories),
      unnamedCategories: categories.unnamedIds(parts.categories),
    })
    return await body.once((commit, respond) => {
      if (!dryRun) {
        return commit(() => {
          const before = { previous: parts.imports.findByContent(content.sha256), found: found() }
          const row = addImport(parts, { stage, categories }, content)
          recordImport(parts, row, principal)
          return {
            body: resultOf(row.id, content, findings, before.found, before.previous),
            representation: toImport(row),
            location: `/v1/imports/${row.id}`,
          }
        })
      }
      const result = resultOf(null, content, findings, found(), parts.imports.findByContent(content.sha256))
      return respond({ body: { ...result, file: toFileView(findings) } })
    })
  } catch (error) {
    await chunks.drain()
    if (!(listInvalid && error instanceof InvalidFile)) throw error
    const content = { imported: 0, skipped: findings.invalidRows(), createdAt: parts.clock.now() }
    const rejected = {
      ...resultOf(null, content, findings, { newCategories: [], unnamedCategories: [] }),
      rejection: error.message,
    }
    return await body.once((_, respond) => respond({ body: rejected }))
  }
}

/** Writes the event of an import, and its entry in the audit log. */
function recordImport(parts: ReceiveParts, row: ImportRow, principal: Principal): void {
  const { events, audit, clock } = parts
  const { id: importId, imported, skipped, fileName } = row
  const context = auditContextOf(principal, clock)
  const accountId = accountFor(parts, principal, context)
  audit.add(context, { action: 'import.created', accountId, details: { importId, imported, skipped, fileName } })
  events.write('import.completed', null, toImportedPets(row))
}

function resultOf(
  id: number | null,
  { imported, skipped, createdAt }: Pick<ImportRow, 'imported' | 'skipped' | 'createdAt'>,
  findings: Findings,
  found: Pick<ImportResult, 'newCategories' | 'unnamedCategories'>,
  previous?: ImportRow,
): ImportResult {
  return {
    id,
    imported,
    skipped,
    errors: [...findings.errors],
    problems: findings.problems().map(({ lines, ...problem }) => ({ ...problem, lines: [...lines] })),
    leftOut: findings.leftOut,
    unusedColumns: [...(findings.layout?.located.unused ?? [])],
    guessedColumns: toGuesses(findings),
    encoding: toEncoding(findings),
    sheet: toSheet(findings),
    notes: toNotes(findings, { animals: imported, isDone: id !== null }),
    ...found,
    createdAt: new Date(createdAt).toISOString(),
    previousImportId: previous?.id ?? null,
    previousImportedAt: timeOrNull(previous?.createdAt ?? null),
    rejection: null,
    file: null,
  }
}

/**
 * The chunks of a body that can be abandoned in the middle. `drain` then reads and discards the rest, up to the size
 * that a file may have, because a client that is still sending would not receive the error.
 */
function readWhole(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    /** Calls `beforeEach` when a chunk has arrived. */
    async *content(beforeEach: () => void): AsyncGenerator<Uint8Array> {
      for (let chunk = await iterator.next(); !chunk.done; chunk = await iterator.next()) {
        beforeEach()
        yield chunk.value
      }
    },
    async drain(): Promise<void> {
      try {
        for (let bytes = 0; bytes < maximumFileBytes; ) {
          const { value, done } = await iterator.next()
          if (done) return
          bytes += value.byteLength
        }
        await iterator.return?.()
      } catch {
        // The error that is being handled is reported.
      }
    },
  }
}

const shownProblems = 3

/** The error with the most frequent problems in its message. `dryRun` lists all of them. */
function withProblems(error: InvalidFile, problems: readonly Problem[]): AppError {
  const shown = problems.slice(0, shownProblems).map(describeProblem)
  const rest = problems.length > shownProblems ? '; …' : '.'
  return new AppError(error.code, `${error.message} ${shown.join('; ')}${rest}`)
}
