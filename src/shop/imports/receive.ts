/** Imports the animals of an upload. Everything is read and checked before the first animal is added. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { type AuditStore, auditContextOf } from '../../access/audit/store.ts'
import type { Commit, StepsResponse, Upload } from '../../api/endpoint.ts'
import type { Principal } from '../../api/principal.ts'
import { timeOrNull } from '../../api/schemas.ts'
import { StorageUnavailable } from '../../database/faults/fault.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { type AddStores, beginAddition } from './add.ts'
import { createNewCategories } from './categories.ts'
import { checkFile, InvalidFile, invalidRows } from './check.ts'
import { parseColumns } from './file/columns.ts'
import { createFindings, describeProblem, type Findings, type Problem } from './file/findings.ts'
import type { ImportFormat } from './file/read.ts'
import { parseStatuses } from './file/statuses.ts'
import type { ImportProgressReporter } from './progress.ts'
import { maximumErrors, maximumFileBytes, maximumNewCategories } from './rules.ts'
import { type ImportResult, toFileView, toGuesses, toImport, toImportedPets } from './schemas.ts'
import { createStage, type Stage } from './stage.ts'
import type { ImportRow } from './store.ts'
import { inCleanTurn, type RemovalParts, removeUnfinished } from './undo.ts'

export interface ReceiveParts extends AddStores, StoreAccountStores, Omit<RemovalParts, keyof AddStores> {
  readonly audit: AuditStore
  readonly turns: Turns
  readonly importProgress: ImportProgressReporter
}

export interface ReceiveOptions {
  /** If undefined, it is detected from the file's first character. */
  readonly format: ImportFormat | undefined
  readonly fileName?: string
  /** A mapping as `parseColumns` takes it. */
  readonly columns?: string
  /** A mapping as `parseStatuses` takes it. */
  readonly statuses?: string
  readonly hasHeader?: boolean
  readonly skipInvalid: boolean
  /** Whether the response to a file that its rows keep from being imported lists them. */
  readonly listInvalid: boolean
  readonly dryRun: boolean
}

type Content = Pick<ImportRow, 'sha256' | 'fileName' | 'imported' | 'skipped' | 'createdAt'>

/**
 * Imports a file, or only checks it. Throws the errors of `checkFile`, `invalid_body` if a row is invalid and invalid
 * rows are not skipped, and `conflict` or `storage_unavailable` if too many imports are running.
 */
export function receiveImport(
  parts: ReceiveParts,
  body: Upload,
  options: ReceiveOptions,
  principal: Principal,
): Promise<StepsResponse> {
  const { runningImports, turns } = parts
  const { format, hasHeader, dryRun, skipInvalid, listInvalid, fileName = null } = options
  const columns = parseColumns(options.columns === undefined ? [] : [options.columns])
  const statuses = parseStatuses(options.statuses === undefined ? [] : [options.statuses])
  return runningImports.import(principal, body.idempotencyKey, async () => {
    const stage = createStage()
    const findings = createFindings({ maximumErrors, keepsText: dryRun })
    const newCategories = createNewCategories(parts.categories)
    const chunks = readWhole(body.chunks)
    try {
      const checked = await checkFile({
        chunks: chunks.content(runningImports.assertRunning),
        columns,
        statuses,
        format,
        hasHeader,
        // A dry run examines the rows after an invalid one, too, and stages nothing.
        skipsInvalid: skipInvalid || dryRun,
        mayLackColumns: dryRun,
        findings,
        onAnimals(animals) {
          newCategories.see(animals)
          if (!dryRun) stage.add(animals)
        },
        onBatch: () => turns(runningImports.assertRunning),
      })
      if (checked.skipped > 0 && !skipInvalid && !dryRun) {
        const error = invalidRows(checked, findings)
        throw listInvalid ? error : withProblems(error, findings.problems())
      }
      const content = { ...checked, fileName, createdAt: parts.clock.now() }
      return await body.once((commit, respond) => {
        if (!dryRun)
          return inCleanTurn(parts, () =>
            add(parts, stage, content, findings, newCategories.unnamed, principal, commit),
          )
        const previous = parts.imports.findByContent(content.sha256)
        const found = { newCategories: newCategories.names(), unnamedCategories: newCategories.unnamed() }
        const result = resultOf(null, content, findings, found, previous)
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
    } finally {
      stage.close()
    }
  })
}

async function add(
  parts: ReceiveParts,
  stage: Stage,
  content: Content,
  findings: Findings,
  unnamedCategories: () => number[],
  principal: Principal,
  commit: Commit,
): Promise<StepsResponse> {
  const { imports, events, audit, clock, importProgress, runningImports } = parts
  const { imported: total, skipped, fileName } = content
  let begun: number | undefined
  try {
    const addition = await runningImports.step('import', () => beginAddition(parts, stage, content))
    const { id, previous } = addition
    begun = id
    while (await runningImports.step('import', addition.addMore)) {
      importProgress.report({ importId: id, done: addition.done(), total })
    }
    const response = await commit(() => {
      imports.setCompleted(id, clock.now())
      const context = auditContextOf(principal, clock)
      const details = { importId: id, imported: total, skipped, fileName }
      const accountId = accountFor(parts, principal, context)
      audit.add(context, { action: 'import.created', accountId, details })
      const row = imports.find(id)
      if (row) events.write('import.completed', null, toImportedPets(row))
      const newCategories = imports.addedCategories(id, 0, maximumNewCategories).map(({ name }) => name)
      const found = { newCategories, unnamedCategories: unnamedCategories() }
      return {
        body: resultOf(id, content, findings, found, previous),
        ...(row ? { representation: toImport(row) } : {}),
        location: `/v1/imports/${id}`,
      }
    })
    importProgress.report({ importId: id, done: total, total })
    return response
  } catch (error) {
    if (begun === undefined || imports.find(begun)?.completedAt !== null) throw error
    // If that fails too, a job repeats it.
    const isRemoved = await removeUnfinished(parts).then(
      () => true,
      () => false,
    )
    if (!(error instanceof StorageUnavailable)) throw error
    throw new StorageUnavailable(error.fault, isRemoved ? 'unchanged' : 'removed_later', error)
  }
}

function resultOf(
  id: number | null,
  { imported, skipped, createdAt }: Pick<Content, 'imported' | 'skipped' | 'createdAt'>,
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
    unusedColumns: [...findings.unusedColumns],
    guessedColumns: toGuesses(findings),
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
