/** Summarises the values of each column while a file arrives, in bounded memory, so that the whole file decides a guess. */

import { foldedText } from '../../../lib/text.ts'
import { isEmptyCell } from './words.ts'

/** What is known of the values of a column. */
export interface ColumnFacts {
  /** The number of cells that have a value. */
  readonly filled: number
  /** The number of these that are numbers, also with separators of thousands and units of a currency. */
  readonly numeric: number
  /** Its different values, shortened, with their numbers of rows; if there are many, only some. */
  readonly words: ReadonlyMap<string, number>
  /** Whether it has more than `maximumWords` different values. */
  readonly hasMore: boolean
  /** The number of cells that begin like HTML. */
  readonly markup: number
  /** Whether a value occurs twice, ignoring case; only for columns that may have the numbers of animals. */
  readonly repeats: boolean
}

/** Further words of a column are not kept, and longer ones are shortened. */
export const maximumWords = 200
export const maximumWordLength = 100

/** A number, which may have separators and a unit, such as `$1,250.00`, `1.234,56 €` and `80 zł`. */
const numeric = /^(?:[A-Z]{2,3}\s|[A-Z]{0,2}\p{Sc}\s?|[-+])?\d[\d\s.,'’]*(?:\p{Sc}|\p{L}{1,3}\.?)?$/u

/** Whether a cell is a number, such as an amount of money. */
export const isNumber = (cell: string): boolean => cell.length <= 40 && numeric.test(cell)

/** Collects the facts of one column. `mayBeNumber`: whether its values may be numbers of animals. */
export function createColumnFacts(mayBeNumber: boolean) {
  const words = new Map<string, number>()
  /** Hashes of values, until one repeats. */
  const seen = new Set<number | bigint>()
  const facts = { filled: 0, numeric: 0, words, hasMore: false, markup: 0, repeats: false }

  function seeWord(cell: string): void {
    const word = cell.length > maximumWordLength ? cell.slice(0, maximumWordLength).toWellFormed() : cell
    const rows = words.get(word)
    if (rows !== undefined) words.set(word, rows + 1)
    else if (words.size >= maximumWords) facts.hasMore = true
    else words.set(copied(word), 1)
  }

  function seeNumber(cell: string): void {
    const hash = Bun.hash(foldedText(cell))
    if (seen.has(hash)) {
      facts.repeats = true
      seen.clear()
    } else seen.add(hash)
  }

  return {
    facts: facts as ColumnFacts,
    /** Frees what only `see` needs: its compiled code keeps the set itself. */
    end: () => seen.clear(),
    see(cell: string): void {
      if (isEmptyCell(cell) || cell.trim() === '') return
      facts.filled++
      if (cell.startsWith('<')) facts.markup++
      seeWord(cell)
      if (isNumber(cell)) facts.numeric++
      if (mayBeNumber && !facts.repeats) seeNumber(cell)
    },
  }
}

/** A part of a text would keep the whole text in memory. */
export const copied = (text: string): string => Buffer.from(text).toString()
