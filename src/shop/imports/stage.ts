/**
 * The checked rows of a file, before they are added in one transaction. They are in memory as JSON: as objects they would
 * need several times as much.
 */

import type { PetStatus } from '../pets/rules.ts'
import type { ImportedCategory } from './file/rows.ts'
import type { ImportedProfile } from './values/profile.ts'

export interface ImportedRow {
  /** The number of its line, from 1. */
  readonly line: number
  /** Only a row that changes an animal may lack a name or a category. */
  readonly name?: string | undefined
  readonly category?: ImportedCategory | undefined
  readonly status?: PetStatus | undefined
  readonly profile: ImportedProfile
}

/** So many rows are read together, in a few milliseconds. */
const batchRows = 250

export function createStage() {
  const batches: Buffer[] = []
  let last: ImportedRow[] = []

  function endBatch(): void {
    if (last.length > 0) batches.push(Buffer.from(JSON.stringify(last)))
    last = []
  }

  return {
    add(rows: readonly ImportedRow[]): void {
      last.push(...rows)
      if (last.length >= batchRows) endBatch()
    },
    /** The rows in the order of the file. */
    *batches(): Generator<readonly ImportedRow[]> {
      endBatch()
      for (const batch of batches) yield JSON.parse(batch.toString()) as ImportedRow[]
    },
  }
}
export type Stage = ReturnType<typeof createStage>
