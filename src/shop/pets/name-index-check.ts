/** Compares the search index of names with the animals. Reads all of both; the connection need not be able to write. */

import type { Database } from 'bun:sqlite'
import { foldedText } from '../../lib/text.ts'

/** The animals that are read at once. */
const pageRows = 10_000

/** Names that many animals have are divided once: so many are remembered. */
const rememberedNames = 10_000

/** The number of animals with a part of three characters in their name. */
interface PartCount {
  animals: number
}

/** What is wrong with the index, as part of a sentence; undefined if nothing is. To be called in no transaction. */
export function misindexedNames(database: Database): string | undefined {
  database.run("CREATE VIRTUAL TABLE temp.indexed_parts USING fts5vocab('main', 'pet_search', 'row')")
  // The index and the animals of one moment.
  database.run('BEGIN')
  try {
    const counts = new Map<string, PartCount>()
    const remembered = new Map<string, readonly PartCount[]>()
    for (const [id, name, folded] of animals(database)) {
      if (foldedText(name) !== folded) return `the search does not find animal ${id} by its name`
      let parts = remembered.get(folded)
      if (parts === undefined) {
        parts = countsOf(folded, counts)
        if (remembered.size < rememberedNames) remembered.set(folded, parts)
      }
      for (const part of parts) part.animals++
    }
    const indexed = database.query<{ part: string; animals: number }, []>(
      'SELECT term AS part, doc AS animals FROM temp.indexed_parts',
    )
    for (const { part, animals: found } of indexed.iterate()) {
      if (counts.get(part)?.animals !== found) return describe(part)
      counts.delete(part)
    }
    const [left] = counts.keys()
    return left === undefined ? undefined : describe(left)
  } finally {
    database.run('ROLLBACK')
    database.run('DROP TABLE temp.indexed_parts')
  }
}

const describe = (part: string) => `the search does not find the animals whose names have "${part}"`

function* animals(database: Database): Generator<[id: number, name: string, folded: string]> {
  const page = database.query<never, [number, number]>(
    'SELECT id, name, folded_name FROM pets WHERE id > ?1 ORDER BY id LIMIT ?2',
  )
  for (let after = 0; ; ) {
    const rows = page.values(after, pageRows) as [number, string, string][]
    yield* rows
    const last = rows.at(-1)
    if (last === undefined) return
    after = last[0]
  }
}

/** The counts of the different parts of a text, as the index has them; those that are missing are added. */
function countsOf(folded: string, counts: Map<string, PartCount>): PartCount[] {
  const characters = [...folded]
  const parts = new Set(characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`))
  return [...parts].map((part) => {
    const found = counts.get(part) ?? { animals: 0 }
    counts.set(part, found)
    return found
  })
}
