/**
 * Adds staged animals to the store of a running server, in steps of a few milliseconds, between which other requests read and
 * write. The ids of the animals are reserved first, so that they are consecutive. An import that fails or is interrupted is
 * removed again; until it is complete, its animals are visible.
 */

import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Turns } from '../../lib/steps/turns.ts'
import type { CategoryStore } from '../categories/store.ts'
import type { DeletedPetStore } from '../pets/changes/deleted-pets.ts'
import type { PetStore } from '../pets/store.ts'
import { createPlacement } from './categories.ts'
import type { ImportProgressReporter } from './progress.ts'
import type { Stage } from './stage.ts'
import type { ImportRow, ImportsStore } from './store.ts'

/** The duration of one step, in milliseconds. */
const stepMs = 4

/** The number of animals that are added before the time is checked. */
const chunkSize = 50

export interface AddParts {
  readonly imports: ImportsStore
  readonly pets: PetStore
  readonly deletedPets: DeletedPetStore
  readonly categories: CategoryStore
  readonly writer: Writer
  readonly turns: Turns
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly importProgress: ImportProgressReporter
}

export interface AddRequest {
  readonly content: Pick<ImportRow, 'sha256' | 'fileName' | 'imported' | 'skipped' | 'createdAt'>
  /** Throws if the service is stopping. */
  readonly assertRunning: () => void
  /** Called with the id as soon as there is one. */
  readonly onBegin: (id: number) => void
}

export interface Added {
  readonly id: number
  /** The latest import of the same bytes that was not undone. */
  readonly previous: ImportRow | undefined
}

/** Adds everything but the completion of the import, which belongs in the transaction of its response. */
export async function addStaged(parts: AddParts, stage: Stage, request: AddRequest): Promise<Added> {
  const { imports, pets, categories, writer, importProgress } = parts
  const { content, assertRunning, onBegin } = request
  const total = content.imported
  const { id, previous, firstPetId } = await writer.write(() => {
    const previous = imports.findByContent(content.sha256)
    const id = imports.add({ ...content, completedAt: null })
    const firstPetId = total === 0 ? null : pets.reserveIds(total)
    imports.setPets(id, { firstPetId, lastPetId: firstPetId === null ? null : firstPetId + total - 1 })
    onBegin(id)
    return { id, previous, firstPetId }
  })
  const place = createPlacement({ stage: stage.connection, categories, pets, imports, importId: id })
  while (await step(parts, place)) assertRunning()
  let done = 0
  while (firstPetId !== null && done < total) {
    assertRunning()
    const first = firstPetId
    done = await step(parts, (isOver) => {
      const last = addSome(pets, stage, first, done, isOver)
      imports.setAdded(id, last)
      return last
    })
    if (done < total) importProgress.report({ importId: id, done, total })
  }
  return { id, previous }
}

/** Adds the next animals until `isOver`; returns the number of animals that were added in all. */
function addSome(pets: PetStore, stage: Stage, firstPetId: number, done: number, isOver: () => boolean): number {
  let last = done
  do {
    const rows = stage.page(last, chunkSize)
    for (const { number, ...pet } of rows) pets.putBack({ id: firstPetId + number - 1, ...pet })
    if (rows.length === 0) return last
    last = rows.at(-1)?.number ?? last
  } while (!isOver())
  return last
}

/** Runs a step in a transaction, in a turn of its own. */
export function step<T>({ turns, writer, clock }: AddParts, work: (isOver: () => boolean) => T): Promise<T> {
  return turns(() =>
    writer.write(() => {
      const endMs = clock.monotonic() + stepMs
      return work(() => clock.monotonic() >= endMs)
    }),
  )
}
