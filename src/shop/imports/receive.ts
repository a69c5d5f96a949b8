/** Imports the animals of an upload: its rows are checked while it arrives, and added in one transaction. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { auditContextOf } from '../../access/audit/store.ts'
import type { StepsResponse, Upload } from '../../api/endpoint.ts'
import type { Principal } from '../../api/principal.ts'
import { timeOrNull } from '../../api/schemas.ts'
import type { UploadTurns } from '../../api/upload-turns.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { type AddStores, addImport } from './add.ts'
import { createFileCategories } from './categories.ts'
import { checkFile, type ImportedRow, InvalidFile, InvalidRows, type SpreadsheetReader } from './check.ts'
import { type Batches, createBatches } from './file/batches.ts'
import { createFindings, describeProblem, type Findings, type Problem } from './file/findings.ts'
import type { ImportFormat } from './file/read.ts'
import { parseReading, type Reading, type ReadingParameters } from './file/reading.ts'
import { type Counts, createPlanner, type ExistingMode, type Planner } from './plan.ts'
import { createRepeated } from './repeated.ts'
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
import type { ImportRow } from './store.ts'
import type { DateOrder } from './values/dates.ts'
import { createProfileReader } from './values/profile.ts'

export interface ReceiveParts extends AddStores, StoreAccountStores {
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
  /** What becomes of rows whose number an animal has. */
  readonly existing?: ExistingMode
  /** Whether the day or the month of a date comes first. */
  readonly dates?: DateOrder
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
  const reading = parseReading({ ...options, changesAnimals: options.existing === 'update' })
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

/** So many rows are planned together, in a few milliseconds. */
const batchRows = 250

type CheckOptions = Omit<ReceiveOptions, keyof ReadingParameters> & Reading

async function checkAndAdd(
  parts: ReceiveParts,
  body: Upload,
  options: CheckOptions,
  principal: Principal,
  signal: AbortSignal,
): Promise<StepsResponse> {
  const { dryRun, skipInvalid, listInvalid, existing = 'skip', fileName = null } = options
  const createdAt = parts.clock.now()
  const valid = createBatches<ImportedRow>(batchRows)
  const categories = createFileCategories()
  const findings = createFindings({ keepsText: dryRun })
  const chunks = readWhole(body.chunks)
  const profileReader = createProfileReader({
    currency: parts.storeSettings.currency(),
    nowMs: createdAt,
    dates: options.dates,
    readsAges: options.columns.chosen.has('birthDate'),
  })
  const turn = () => parts.turns(() => signal.throwIfAborted())
  try {
    const sha256 = await checkFile({
      ...options,
      spreadsheets: parts.spreadsheets,
      chunks: chunks.content(() => signal.throwIfAborted()),
      profileReader,
      // A dry run examines the rows after an invalid one, too.
      skipsInvalid: skipInvalid || dryRun,
      mayLackColumns: dryRun,
      findings,
      onRows(rows) {
        for (const row of rows) {
          if (row.category) categories.see(row.category)
          valid.add(row)
        }
      },
      onBatch: turn,
    })
    if (findings.invalidRows() > 0 && !skipInvalid && !dryRun) throw new InvalidRows(findings)
    const planner = createPlanner(parts, {
      existing,
      dateOrder: profileReader.dateOrder(),
      nowMs: createdAt,
      skipsInvalid: skipInvalid || dryRun,
      findings,
    })
    const previous = () => parts.imports.findByContent(sha256)
    if (dryRun) {
      const found = await tryImport(parts, valid, planner, turn)
      const result = resultOf(null, createdAt, findings, { ...found, ...planner.counts }, previous())
      return await body.once((_, respond) => respond({ body: { ...result, file: toFileView(findings) } }))
    }
    return await body.once((commit) =>
      commit(() => {
        const before = previous()
        const { row, newCategories } = addImport(
          parts,
          { rows: valid, categories, planner },
          { sha256, fileName, createdAt },
        )
        recordImport(parts, row, principal)
        const found = { newCategories: [...newCategories], unnamedCategories: categories.unnamedIds(parts.categories) }
        return {
          body: resultOf(row.id, createdAt, findings, { ...found, ...planner.counts }, before),
          representation: toImport(row),
          location: `/v1/imports/${row.id}`,
        }
      }),
    )
  } catch (error) {
    await chunks.drain()
    if (!(error instanceof InvalidFile)) throw error
    if (!listInvalid) throw error instanceof InvalidRows ? withProblems(error, findings.problems()) : error
    const rejected = { ...resultOf(null, createdAt, findings, nothing), rejection: error.message }
    return await body.once((_, respond) => respond({ body: rejected }))
  }
}

/** Plans the rows of a dry run, in batches beside other requests, and finds what an import would add and repeat. */
async function tryImport(
  parts: ReceiveParts,
  rows: Batches<ImportedRow>,
  planner: Planner,
  turn: () => Promise<unknown>,
) {
  const categories = createFileCategories()
  const repeated = createRepeated(parts)
  for (const batch of rows.take()) {
    for (const { row, plan } of planner.plan(batch)) {
      if (row.category && (plan.kind === 'added' || plan.kind === 'changed')) categories.see(row.category)
      if (plan.kind === 'added') repeated.see(row)
    }
    await turn()
  }
  planner.assertAllowed()
  return {
    newCategories: categories.newNames(parts.categories),
    unnamedCategories: categories.unnamedIds(parts.categories),
    repeated: await repeated.count(turn),
  }
}

const nothing = {
  newCategories: [],
  unnamedCategories: [],
  repeated: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  alreadyThere: 0,
} satisfies Outcome

/** Writes the event of an import, and its entry in the audit log. */
function recordImport(parts: ReceiveParts, row: ImportRow, principal: Principal): void {
  const { events, audit, clock } = parts
  const { id: importId, imported, changed, skipped, fileName } = row
  const context = auditContextOf(principal, clock)
  const accountId = accountFor(parts, principal, context)
  audit.add(context, {
    action: 'import.created',
    accountId,
    details: { importId, imported, changed, skipped, fileName },
  })
  events.write('import.completed', null, toImportedPets(row))
}

/** What an import does, or would do. */
interface Outcome extends Pick<ImportResult, 'newCategories' | 'unnamedCategories'>, Counts {
  /** For a dry run: how many of the added animals have the name and the category of one that is there. */
  readonly repeated?: number
}

function resultOf(
  id: number | null,
  createdAt: number,
  findings: Findings,
  { added, repeated = 0, ...outcome }: Outcome,
  previous?: ImportRow,
): ImportResult {
  return {
    id,
    imported: added,
    ...outcome,
    skipped: findings.invalidRows(),
    errors: [...findings.errors],
    problems: toProblems(findings.problems()),
    unreadValues: toProblems(findings.unread()),
    leftOut: findings.leftOut,
    unusedColumns: [...(findings.layout?.located.unused ?? [])],
    guessedColumns: toGuesses(findings),
    encoding: toEncoding(findings),
    sheet: toSheet(findings),
    notes: toNotes(findings, { animals: added, isDone: id !== null, repeated, ...outcome }),
    createdAt: new Date(createdAt).toISOString(),
    previousImportId: previous?.id ?? null,
    previousImportedAt: timeOrNull(previous?.createdAt ?? null),
    rejection: null,
    file: null,
  }
}

const toProblems = (problems: readonly Problem[]): ImportResult['problems'] =>
  problems.map(({ lines, ...problem }) => ({ ...problem, lines: [...lines] }))

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
