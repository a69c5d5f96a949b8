/** What is typed into forms and not sent yet: "Back", Esc and a link lose nothing. It is gone with the page, and on signing out. */

const all = new Set<Map<number, unknown>>()

export interface Kept<T> {
  /** Forms of records are kept by the record's id, forms of new ones without. */
  get(id?: number): T | undefined
  set(value: T | undefined, id?: number): void
}

/** Creates the memory of one kind of form. */
export function createKept<T>(): Kept<T> {
  const values = new Map<number, T>()
  all.add(values)
  return {
    get: (id = 0) => values.get(id),
    set(value, id = 0) {
      if (value === undefined) values.delete(id)
      else values.set(id, value)
    },
  }
}

export function clearKept(): void {
  for (const values of all) values.clear()
}
