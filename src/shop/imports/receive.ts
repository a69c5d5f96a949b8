/** Imports the animals of an upload. Everything is read and checked before the first animal is added. */

import { Database } from 'bun:sqlite'
import { auditContextOf } from '../../access/audit/context.ts'
import type { AuditStore } from '../../access/audit/store.ts'
import type { Commit, StepsResponse, Upload } from '../../api/input/received.ts'
import type { Principal } from '../../api/principal.ts'
import { StorageUnavailable } from '../../database/faults/fault.ts'
import { AppError } from '../../lib/error.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import { type AddParts, addStaged } from './add.ts'
import { parseColumns } from './file/columns.ts'
import { createProblems, describeProblem, type Problem } from './file/problems.ts'
import type { ImportFormat } from './file/read.ts'
import type { ImportedPet } from './file/rows.ts'
import { parseStatuses } from './file/statuses.ts'
import { gatherRows, hashed, invalidRows } from './import.ts'
import { createNewCategories } from './new-categories.ts'
import { removeUnfinished } from './remove.ts'
import { maximumErrors, maximumNewCategories } from './rules.ts'
import type { RunningImports } from './running.ts'
import { type ImportResult, toImport } from './schemas.ts'
import { createStage } from './stage.ts'

export interface ReceiveParts extends AddParts {
  readonly audit: AuditStore
  readonly runningImports: RunningImports
  readonly openStageFile: () => Database
}

export interface ReceiveOptions {
  readonly format: ImportFormat
  readonly fileName: string | undefined
  /** As the option `--columns` of the command. */
  readonly columns: string | undefined
  /** As the option `--statuses` of the command. */
  readonly statuses: string | undefined
  readonly skipInvalid: boolean
  readonly dryRun: boolean
}

/** The number of bytes that are read in one turn of the event loop, in a few milliseconds. */
const sliceBytes = 8_192

/**
 * Imports a file, or only checks it. Throws `invalid_body` if a row is invalid and invalid rows are not skipped, or if the
 * file can't be read to its end; `invalid_parameter` if a column is missing; `conflict` or
 * `storage_unavailable` if too many imports are running.
 */
export function receiveImport(
  parts: ReceiveParts,
  body: Upload,
  options: ReceiveOptions,
  principal: Principal,
): Promise<StepsResponse> {
  const { runningImports, openStageFile, turns } = parts
  const columns = mappingOf(options.columns, parseColumns)
  const statuses = mappingOf(options.statuses, parseStatuses)
  return runningImports.import(principal.accountId, body.idempotencyKey, async () => {
    // A dry run stages nothing, and needs no space on the disk.
    const file = options.dryRun ? new Database(':memory:') : openStageFile()
    const stage = createStage(file, { isTemporary: false })
    const sha256 = new Bun.CryptoHasher('sha256')
    const errors: { line: number; message: string }[] = []
    const problems = createProblems()
    let unusedColumns: readonly string[] = []
    const foundInRows = () => ({
      errors,
      problems: problems.list().map((problem) => ({ ...problem, lines: [...problem.lines] })),
      unusedColumns: [...unusedColumns],
    })
    const newCategories = createNewCategories(parts.categories)
    const chunks = readWhole(body.chunks)
    try {
      const target = {
        connection: stage.connection,
        add(pet: ImportedPet): void {
          if (options.dryRun) newCategories.see(pet.category)
          else stage.add(pet)
        },
      }
      const gathered = await gatherRows(target, {
        chunks: inSlices(hashed(chunks.content, sha256), turns, runningImports.assertRunning),
        columns,
        statuses,
        format: options.format,
        // A dry run examines the rows after an invalid one, too.
        skipsInvalid: options.skipInvalid || options.dryRun,
        onInvalidRow(line, faults) {
          problems.note(line, faults)
          if (errors.length < maximumErrors) errors.push({ line, message: faults.join('; ') })
        },
        onUnusedColumns(names) {
          unusedColumns = names
        },
        onProgress: () => {},
        pause: () => turns(runningImports.assertRunning),
      })
      const { rows, invalid } = gathered
      if (invalid > 0 && !options.skipInvalid && !options.dryRun) {
        throw withProblems(invalidRows(gathered), problems.list())
      }
      const counts = { imported: rows - invalid, skipped: invalid }
      const createdAt = parts.clock.now()
      return await body.once(async (commit, respond) => {
        const { fileName = null } = options
        const content = { ...counts, sha256: sha256.digest(), fileName, createdAt }
        if (!options.dryRun) {
          return runningImports.inTurn(() => add(parts, stage, content, foundInRows(), principal, commit))
        }
        const previous = parts.imports.findByContent(content.sha256)
        const found = { ...foundInRows(), newCategories: newCategories.names() }
        return respond({ body: resultOf(null, content, found, previous?.id) })
      })
    } catch (error) {
      await chunks.drain()
      throw inApiTerms(error)
    } finally {
      stage.close()
      file.close()
    }
  })
}

type Found = Pick<ImportResult, 'errors' | 'problems' | 'unusedColumns' | 'newCategories'>
type Content = Parameters<typeof addStaged>[2]['content']

async function add(
  parts: ReceiveParts,
  stage: ReturnType<typeof createStage>,
  content: Content,
  found: Omit<Found, 'newCategories'>,
  principal: Principal,
  commit: Commit,
): Promise<StepsResponse> {
  const { imports, audit, clock, importProgress } = parts
  const { assertRunning } = parts.runningImports
  // An interrupted import may have been of the same file: its categories are not for this one.
  await removeUnfinished(parts, assertRunning)
  let begun: number | undefined
  try {
    const onBegin = (id: number) => {
      begun = id
    }
    const { id, previous } = await addStaged(parts, stage, { content, assertRunning, onBegin })
    const response = await commit(() => {
      imports.setCompleted(id, clock.now())
      const { imported, skipped, fileName } = content
      const details = { importId: id, imported, skipped, fileName }
      audit.record(auditContextOf(principal, clock), {
        action: 'import.created',
        accountId: principal.ownAccountId,
        details,
      })
      const row = imports.find(id)
      const added = imports.addedCategories(id, 0, maximumNewCategories)
      return {
        body: resultOf(id, content, { ...found, newCategories: added.map(({ name }) => name) }, previous?.id),
        ...(row ? { representation: toImport(row) } : {}),
        location: `/v1/imports/${id}`,
      }
    })
    importProgress.report({ importId: id, done: content.imported, total: content.imported })
    return response
  } catch (error) {
    if (begun === undefined || imports.find(begun)?.completedAt !== null) throw error
    // If that fails too, a job repeats it.
    const isRemoved = await removeUnfinished(parts, assertRunning).then(
      () => true,
      () => false,
    )
    if (!(error instanceof StorageUnavailable)) throw error
    throw new StorageUnavailable(error.fault, isRemoved ? 'unchanged' : 'removed_later', error)
  }
}

function resultOf(id: number | null, content: Content, found: Found, previous?: number): ImportResult {
  const { imported, skipped, createdAt } = content
  const previousImportId = previous ?? null
  return { id, imported, skipped, ...found, createdAt: new Date(createdAt).toISOString(), previousImportId }
}

/** Gives other requests a turn before each slice. */
async function* inSlices(
  chunks: AsyncIterable<Uint8Array>,
  turns: Turns,
  assertRunning: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += sliceBytes) {
      await turns(assertRunning)
      yield chunk.subarray(start, start + sliceBytes)
    }
  }
}

/**
 * The chunks of a body that can be abandoned in the middle. `drain` then reads and discards the rest, because a client that
 * is still sending would not receive the error.
 */
function readWhole(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    content: { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) },
    async drain(): Promise<void> {
      try {
        while (!(await iterator.next()).done);
      } catch {
        // The error that is being handled is reported.
      }
    },
  }
}

/** Messages of the command name its options; those of the API name its parameters. */
function inApiTerms(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.message.includes('--')) return error
  const message = error.message
    .replaceAll('--columns: ', 'columns: ')
    .replaceAll('--columns ', 'columns=')
    .replaceAll('--statuses', 'statuses')
    .replaceAll('--skip-invalid', 'skipInvalid=true')
  return new AppError(error.code, message, { cause: error.cause })
}

function mappingOf<T>(mapping: string | undefined, parse: (mappings: readonly string[]) => T): T {
  try {
    return parse(mapping === undefined ? [] : [mapping])
  } catch (error) {
    throw inApiTerms(error)
  }
}

const shownProblems = 3

/** The error with the most frequent problems in its message. `dryRun` lists all of them. */
function withProblems(error: AppError, problems: readonly Problem[]): AppError {
  const shown = problems.slice(0, shownProblems).map(describeProblem)
  return new AppError(
    error.code,
    `${error.message} ${shown.join('; ')}${problems.length > shownProblems ? '; …' : '.'}`,
  )
}
