/** Counts the problems of the rows of a file: equal ones together. Memory is bounded. */

export interface Problem {
  readonly message: string
  /** The number of rows that have it. */
  readonly rows: number
  /** The lines of the first of them. */
  readonly lines: readonly number[]
}

/** Further messages are counted together. */
export const maximumMessages = 1_000
export const maximumLines = 3

export function createProblems() {
  const found = new Map<string, { rows: number; lines: number[] }>()
  const others = { rows: 0, lines: [] as number[] }

  function problemOf(message: string) {
    const known = found.get(message)
    if (known) return known
    if (found.size >= maximumMessages) return others
    const added = { rows: 0, lines: [] }
    found.set(message, added)
    return added
  }

  return {
    /** Takes note of the problems of a row. */
    note(line: number, messages: readonly string[]): void {
      for (const problem of new Set(messages.map(problemOf))) {
        problem.rows++
        if (problem.lines.length < maximumLines) problem.lines.push(line)
      }
    },
    /** The problems, the most frequent first. */
    list(): readonly Problem[] {
      const problems = [...found].map(([message, rest]) => ({ message, ...rest })).sort((a, b) => b.rows - a.rows)
      return others.rows === 0 ? problems : [...problems, { message: 'other problems', ...others }]
    },
  }
}

/** A problem in words: `8,809 rows: name is blank (lines 3, 8, 17, …)`. */
export function describeProblem({ message, rows, lines }: Problem): string {
  if (rows === 1) return `line ${lines[0]}: ${message}`
  return `${rows.toLocaleString('en')} rows: ${message} (lines ${lines.join(', ')}${rows > lines.length ? ', …' : ''})`
}
