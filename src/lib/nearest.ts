/** Finds the name that a mistyped name probably stands for. */

/**
 * The name nearest to `given` by edit distance: insertions, deletions, replacements and swaps of neighbours. If more
 * than a third of the characters differ, or all, the only name that begins with `given`; otherwise undefined.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  // Longer than any name: not a typing error, and the distance would take long to compute.
  if (given.length === 0 || given.length > 40) return undefined
  const ranked = names
    .map((name) => ({ name, distance: distance(given, name) }))
    .filter(({ name, distance: edits }) => {
      const length = Math.max(given.length, name.length)
      return edits < length && edits <= Math.max(1, Math.floor(length / 3))
    })
    .sort((a, b) => a.distance - b.distance)
  if (ranked[0]) return ranked[0].name
  const completed = given.length > 1 ? names.filter((name) => name.startsWith(given)) : []
  return completed.length === 1 ? completed[0] : undefined
}

/** The optimal string alignment distance. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
