/** Compares the search index of names with the animals. Reads all of both; the connection need not be able to write. */

import type { Database } from 'bun:sqlite'
import { foldedText } from '../../lib/text.ts'

/** The animals that are read at once. */
const pageRows = 10_000

/** The animals with a part of a name. */
interface PartCount {
  animals: number
  /** The id of the last one, which counts once. */
  last: number
}

/** What is wrong with the index, as part of a sentence; undefined if nothing is. To be called in no transaction. */
export function misindexedNames(database: Database): string | undefined {
  database.run("CREATE VIRTUAL TABLE temp.indexed_parts USING fts5vocab('main', 'pet_search', 'row')")
  // The index and the animals of one moment.
  database.run('BEGIN')
  try {
    const counts = new Map<string, PartCount>()
    for (const [id, name, folded] of animals(database)) {
      if (foldedText(name) !== folded) return `the search does not find animal ${id} by its name`
      countParts(counts, id, folded)
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

/** Counts the parts of three characters of a text, as the index has them. */
function countParts(counts: Map<string, PartCount>, id: number, folded: string): void {
  let first = ''
  let second = ''
  for (const third of folded) {
    if (first !== '') {
      const part = first + second + third
      const found = counts.get(part)
      if (found === undefined) counts.set(part, { animals: 1, last: id })
      else if (found.last !== id) {
        found.animals++
        found.last = id
      }
    }
    first = second
    second = third
  }
}
