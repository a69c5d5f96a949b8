/**
 * Decides what an import does with each row: it adds an animal, changes the one that has the row's number, or neither.
 */

import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import type { CategoryStore } from '../categories/store.ts'
import { assertMayBecome, type PetStores } from '../pets/changes/change.ts'
import type { PetStatus } from '../pets/rules.ts'
import type { PetRow } from '../pets/table.ts'
import { foldedNumber } from '../profiles/rules.ts'
import type { ProfileStore } from '../profiles/store.ts'
import type { ProfileRow } from '../profiles/table.ts'
import { type ImportedRow, InvalidRows } from './check.ts'
import type { Findings } from './file/findings.ts'
import type { ImportedCategory } from './file/rows.ts'
import { maximumChanges } from './rules.ts'
import type { DateOrder } from './values/dates.ts'
import { type SettledProfile, settled } from './values/profile.ts'

/** What becomes of rows whose number an animal has. */
export const existingModes = ['skip', 'update'] as const
export type ExistingMode = (typeof existingModes)[number]

export interface PlanStores {
  readonly orders: PetStores['orders']
  readonly profiles: Pick<ProfileStore, 'page' | 'petsWithNumbers'>
  readonly categories: Pick<CategoryStore, 'findByName'>
}

/** A row whose date of birth is clear. */
export interface SettledRow extends Omit<ImportedRow, 'profile'> {
  readonly profile: SettledProfile
}

/** The members of an animal and its profile that a row changes. */
export interface PlannedChange {
  readonly kind: 'changed'
  readonly petId: number
  readonly pet: { readonly name?: string; readonly status?: PetStatus; readonly category?: ImportedCategory }
  readonly profile: SettledProfile
}

export type Plan =
  | { readonly kind: 'added' | 'alreadyThere' | 'unchanged' }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] }
  | PlannedChange

export interface PlanOptions {
  readonly existing: ExistingMode
  readonly dateOrder: DateOrder | undefined
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Whether the other rows are imported if some are invalid. */
  readonly skipsInvalid: boolean
  readonly findings: Findings
}

/** How many rows add or change an animal, or do neither. */
export type Counts = Readonly<Record<'added' | 'changed' | 'unchanged' | 'alreadyThere', number>>

export type Planner = ReturnType<typeof createPlanner>

/** Plans the rows of one file, and counts what becomes of them. */
export function createPlanner(stores: PlanStores, options: PlanOptions) {
  const { existing, dateOrder, nowMs, skipsInvalid, findings } = options
  const counts = { added: 0, changed: 0, unchanged: 0, alreadyThere: 0 } satisfies Counts
  return {
    counts: counts as Counts,
    /** The number of invalid rows, also of those that were not planned because they cannot be read. */
    skipped: (): number => findings.invalidRows(),
    /** Plans the next rows. Throws `payload_too_large` for too many changes. */
    plan(batch: readonly ImportedRow[]): readonly { readonly row: SettledRow; readonly plan: Plan }[] {
      const known = findKnown(stores, batch, existing)
      return batch.map((given) => {
        const { line, name } = given
        const leaveOut = (message: string) => findings.noteUnread(message, line)
        const row = { ...given, profile: settled(given.profile, dateOrder, nowMs, leaveOut) }
        const plan = planRow(stores, row, known, existing)
        if (plan.kind === 'invalid') findings.note({ line, fields: { name } }, plan.faults)
        else counts[plan.kind]++
        if (counts.changed > maximumChanges) throw tooManyChanges()
        return { row, plan }
      })
    },
    /** Throws `invalid_body` if there are invalid rows that are not skipped. */
    assertAllowed(): void {
      if (findings.invalidRows() > 0 && !skipsInvalid) throw new InvalidRows(findings)
    },
  }
}

function tooManyChanges(): AppError {
  const most = maximumChanges.toLocaleString('en')
  const message = `The file changes more than ${most} animals, which is the most that one import changes. Nothing was changed; split the file.`
  return new AppError('payload_too_large', message)
}

/** The animals that have the numbers of rows, read together because each query takes longer than a row. */
function findKnown({ profiles }: PlanStores, batch: readonly ImportedRow[], mode: ExistingMode) {
  const ids = profiles.petsWithNumbers(batch.flatMap(({ profile }) => profile.number ?? []))
  const petIds = mode === 'skip' ? [] : [...ids.values()]
  const { records } = profiles.page({ ids: petIds.join() }, pageRange('asc', undefined), petIds.length)
  return { ids, animals: new Map(records.map((animal) => [animal.id, animal])) }
}
type Known = ReturnType<typeof findKnown>

function planRow(stores: PlanStores, row: SettledRow, known: Known, mode: ExistingMode): Plan {
  const { number } = row.profile
  const petId = number === undefined ? undefined : known.ids.get(foldedNumber(number))
  if (petId === undefined) {
    const faults = lacking(row)
    return faults.length === 0 ? { kind: 'added' } : { kind: 'invalid', faults }
  }
  const animal = known.animals.get(petId)
  if (mode === 'skip' || animal === undefined) return { kind: 'alreadyThere' }
  const { pet } = animal
  const changed = petChange(stores, pet, row)
  const profile = profileChange(animal.profile, row)
  if (Object.keys({ ...changed, ...profile }).length === 0) return { kind: 'unchanged' }
  const fault = changed.status && statusFault(stores, pet, changed.status)
  return fault === undefined
    ? { kind: 'changed', petId, pet: changed, profile }
    : { kind: 'invalid', faults: [`status cannot change: ${fault}`] }
}

/** What a row lacks for an animal. */
const lacking = ({ name, category }: SettledRow): string[] => [
  ...(name === undefined ? ['name is blank'] : []),
  ...(category === undefined ? ['category is blank'] : []),
]

function petChange({ categories }: PlanStores, pet: PetRow, { name, category, status }: SettledRow) {
  const categoryId = category?.name === undefined ? category?.id : (categories.findByName(category.name)?.id ?? 0)
  return {
    ...(name === undefined || name === pet.name ? {} : { name }),
    ...(status === undefined || status === pet.status ? {} : { status }),
    ...(category === undefined || categoryId === pet.categoryId ? {} : { category }),
  }
}

/** The members of the profile that differ. The number is the same, but for its case. */
function profileChange(stored: ProfileRow, { profile }: SettledRow): SettledProfile {
  const before: Readonly<Record<string, unknown>> = { ...stored }
  const { number: _, ...given } = profile
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !Bun.deepEquals(before[name], value)))
}

/** Why the status of an animal may not change. */
export function statusFault(stores: Pick<PlanStores, 'orders'>, pet: PetRow, status: PetStatus): string | undefined {
  try {
    assertMayBecome(stores, pet, status)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
