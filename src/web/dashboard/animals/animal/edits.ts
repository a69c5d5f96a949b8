/**
 * What somebody has changed in a form of a record that others may change at the same time: each member as it was then,
 * and as it was entered. Members that are not changed follow the record.
 */

export interface Edits<T> {
  readonly before: Partial<T>
  readonly entered: Partial<T>
}

type Member<T> = keyof T & string

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The members that the form would change. */
export function changedMembers<T extends object>({ before, entered }: Edits<T>, current: T): readonly Member<T>[] {
  return (Object.keys(entered) as Member<T>[]).filter(
    (member) =>
      entered[member] !== undefined &&
      !isSame(entered[member], before[member]) &&
      !isSame(entered[member], current[member]),
  )
}

/** Those of them that somebody else has changed too. */
export const conflictsOf = <T extends object>(edits: Edits<T>, current: T): readonly Member<T>[] =>
  changedMembers(edits, current).filter((member) => !isSame(edits.before[member], current[member]))

/** The record with the changes. */
export const withEdits = <T extends object>(edits: Edits<T>, current: T): T => ({
  ...current,
  ...membersOf(edits.entered, changedMembers(edits, current)),
})

/** Some members of a record. */
export const membersOf = <T extends object>(record: Partial<T>, members: readonly Member<T>[]): Partial<T> =>
  Object.fromEntries(members.map((member) => [member, record[member]])) as Partial<T>

/** The edits after `sent` was saved as `current`: what was entered since is the next change of it. */
export function editsSince<T extends object>({ before, entered }: Edits<T>, sent: Edits<T>, current: T): Edits<T> {
  const later = (Object.keys(entered) as Member<T>[]).filter((member) => !isSame(entered[member], sent.entered[member]))
  return { before: { ...membersOf(before, later), ...membersOf(current, later) }, entered: membersOf(entered, later) }
}
