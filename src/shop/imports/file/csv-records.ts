/**
 * Splits CSV (RFC 4180) into records. A wrong quote makes one line invalid, and not the rest of the file, which no
 * library for CSV can do: reading goes on behind the first line of the record.
 */

import { isFault, maximumRowBytes, tooLong } from './rows.ts'

export interface CsvRecord {
  /** The cells without the space around them; or why the record can't be read. */
  readonly content: readonly string[] | { readonly fault: string }
  /** The number of its first line, from 1. */
  readonly line: number
  /** The record as it stands in the file, without its line end; of one that can't be read, the first line. */
  readonly text: string
}

const openQuote = 'a quote is opened and not closed within 128 KiB'
const innerQuote = 'a quote is inside an unquoted field: put the field in quotes and double the quotes in it'
const textAfterQuote = 'text follows the closing quote of a field: double the quotes inside the field'

/** Where a field ends, and its value. */
interface Field {
  readonly value: string
  readonly end: number
}

export function createCsvRecords(delimiter: string) {
  /** What is not read yet, from the beginning of the current record. */
  let rest = ''
  /** Where the current field begins. */
  let at = 0
  let cells: string[] = []
  let line = 1
  /** Whether the rest of the first line of an invalid record is still to come. */
  let isSkipping = false

  const isSpace = (index: number) => {
    const character = rest[index]
    return character === ' ' || character === '\r' || (character === '\t' && delimiter !== '\t')
  }

  /** The field at `at`, or its fault; undefined if its end has not arrived. */
  function readField(isEnd: boolean): Field | string | undefined {
    let start = at
    while (isSpace(start)) start++
    if (rest[start] === '"') return readQuoted(start + 1, isEnd)
    let end = start
    for (; end < rest.length; end++) if (rest[end] === delimiter || rest[end] === '\n') break
    if (end === rest.length && !isEnd) return undefined
    const value = rest.slice(start, end).trim()
    return value.includes('"') ? innerQuote : { value, end }
  }

  function readQuoted(start: number, isEnd: boolean): Field | string | undefined {
    let close = rest.indexOf('"', start)
    while (close !== -1 && rest[close + 1] === '"') close = rest.indexOf('"', close + 2)
    if (close === -1) return isEnd ? openQuote : undefined
    let end = close + 1
    while (isSpace(end)) end++
    if (end === rest.length && !isEnd) return undefined
    if (end < rest.length && rest[end] !== delimiter && rest[end] !== '\n') return textAfterQuote
    return { value: rest.slice(start, close).replaceAll('""', '"'), end }
  }

  /** Goes on at `next`, where another record begins. */
  function take(next: number): void {
    rest = rest.slice(next)
    at = 0
    cells = []
  }

  /** Skips the first line, and reads the following ones as if it were not there. */
  function fail(fault: string): CsvRecord {
    const end = rest.indexOf('\n')
    const record = { content: { fault }, line, text: trimmed(end === -1 ? rest : rest.slice(0, end)) }
    isSkipping = end === -1
    take(isSkipping ? rest.length : end + 1)
    line++
    return record
  }

  /** The next record; undefined if its end has not arrived. */
  function next(isEnd: boolean): CsvRecord | undefined {
    while (at < rest.length || (isEnd && cells.length > 0)) {
      const field = readField(isEnd)
      if (typeof field === 'string') return fail(field)
      if (field === undefined)
        return isTooLong(rest) ? fail(rest.startsWith('"', firstInk()) ? openQuote : tooLong) : undefined
      cells.push(field.value)
      at = field.end + 1
      if (rest[field.end] === delimiter) continue
      const text = rest.slice(0, field.end)
      const record = { content: isTooLong(text) ? { fault: tooLong } : cells, line, text: trimmed(text) }
      take(Math.min(at, rest.length))
      line += linesIn(text)
      return record
    }
    return undefined
  }

  function firstInk(): number {
    let index = at
    while (isSpace(index)) index++
    return index
  }

  return {
    /** The number of the line on which the next record begins. */
    line: () => line,
    /** The records that end in `text`, which follows the text that was read before; with `isEnd`, also the last one. */
    *read(text: string, isEnd = false): Generator<CsvRecord> {
      rest += text
      if (isSkipping) {
        const end = rest.indexOf('\n')
        isSkipping = end === -1
        take(isSkipping ? rest.length : end + 1)
      }
      for (let record = next(isEnd); record; record = next(isEnd)) yield record
    },
  }
}

/** Whether a record is a line without text, or has only delimiters, also others than that of the file. */
export const isBlank = ({ content, text }: CsvRecord): boolean =>
  !isFault(content) && (content.every((cell) => cell === '') || /^[\s,;]*$/.test(text))

function isTooLong(text: string): boolean {
  return text.length * 3 > maximumRowBytes && Buffer.byteLength(text) > maximumRowBytes
}

const trimmed = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text)

function linesIn(text: string): number {
  let count = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) count++
  return count
}
