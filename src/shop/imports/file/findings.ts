/**
 * What the check of a file finds: equal problems together, the invalid rows, and words that are no status. Memory is
 * bounded.
 */

import type { FoundEncoding } from './encoding.ts'
import { copied } from './facts.ts'
import { type Fields, isFault, isUnknownStatus, type Layout, type SourceRow } from './rows.ts'
import { foldedWord } from './words.ts'

export interface Problem {
  readonly message: string
  /** The number of rows that have it. */
  readonly rows: number
  /** The lines of the first of them. */
  readonly lines: readonly number[]
}

/** An invalid row. */
export interface RowError {
  readonly line: number
  readonly message: string
  /** The name of its animal, shortened, if it has one. */
  readonly name?: string
  /** The row as it stands in the file. */
  readonly text?: string
}

/** A word in the column of the status that is none. */
export interface UnknownStatus {
  readonly word: string
  readonly rows: number
}

/** Further messages are counted together. */
export const maximumMessages = 1_000
export const maximumLines = 3

/** Further words are not listed, nor are longer ones. */
export const maximumWords = 100
export const maximumWordLength = 100

/** The most characters of invalid rows that are kept. */
const maximumText = 8_388_608

/** With `keepsText`, the invalid rows have their text; then the list ends also when it has eight million characters. */
export function createFindings({ keepsText = false } = {}) {
  const problems = createProblems()
  const unread = createProblems()
  const errors: RowError[] = []
  const words = new Map<string, { word: string; rows: number }>()
  let textLength = 0
  let invalid = 0

  function listError(row: SourceRow, message: string): void {
    if (textLength > maximumText) return
    if (!keepsText) errors.push({ line: row.line, message })
    else {
      const name = isFault(row) ? undefined : row.fields.name
      const text = row.text?.()
      textLength += text?.length ?? 0
      errors.push({
        line: row.line,
        message,
        ...(typeof name === 'string' && name.trim() !== '' ? { name: copied(name.slice(0, maximumWordLength)) } : {}),
        ...(text === undefined ? {} : { text: copied(text) }),
      })
    }
  }

  function countWord({ status }: Fields): void {
    if (typeof status !== 'string' || status.length > maximumWordLength) return
    const folded = foldedWord(status)
    const known = words.get(folded)
    if (known) known.rows++
    else if (words.size < maximumWords) words.set(folded, { word: copied(status.trim()), rows: 1 })
  }

  return {
    layout: undefined as Layout | undefined,
    encoding: undefined as FoundEncoding | undefined,
    /** The sheet of a spreadsheet that was read, and the names of all. */
    sheet: undefined as { readonly name: string; readonly sheets: readonly string[] } | undefined,
    /** The number of rows that were read. */
    rows: 0,
    /** The number of rows that are left out because of a word. */
    leftOut: 0,
    errors: errors as readonly RowError[],
    /** Takes note of an invalid row. One that ends the reading of the file is an error, and no problem of its rows. */
    note(row: SourceRow, faults: readonly string[]): void {
      listError(row, faults.join('; '))
      if (row.isFatal && !row.lacksColumns) return
      if (!row.isFatal) invalid++
      if (!isFault(row) && faults.some(isUnknownStatus)) countWord(row.fields)
      for (const fault of new Set(faults)) problems.add(fault, row.line)
    },
    /** Takes note of a value that cannot be read and is left out, without which its row is valid. */
    noteUnread: unread.add,
    /** The values that are left out, the most frequent first. */
    unread: unread.list,
    /** The number of invalid rows until now. */
    invalidRows: () => invalid,
    /** The problems, the most frequent first. */
    problems: problems.list,
    /** The words that are no status, the most frequent first. */
    unknownStatuses: (): readonly UnknownStatus[] => [...words.values()].sort((a, b) => b.rows - a.rows),
  }
}
export type Findings = ReturnType<typeof createFindings>

/** Counts equal messages together. */
function createProblems() {
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
    add(message: string, line: number): void {
      const problem = problemOf(message)
      problem.rows++
      if (problem.lines.length < maximumLines) problem.lines.push(line)
    },
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
