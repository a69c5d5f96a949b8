/**
 * The checked animals of a file, before they are added in one transaction. They are in memory as JSON: as objects they
 * would need several times as much.
 */

import type { ImportedPet } from './file/rows.ts'

export function createStage() {
  const batches: Buffer[] = []
  return {
    add(animals: readonly ImportedPet[]): void {
      batches.push(Buffer.from(JSON.stringify(animals)))
    },
    /** The animals in the order of the file. */
    *animals(): Generator<ImportedPet> {
      for (const batch of batches) yield* JSON.parse(batch.toString()) as ImportedPet[]
    },
  }
}
export type Stage = ReturnType<typeof createStage>
