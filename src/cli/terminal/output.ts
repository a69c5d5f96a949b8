/** Text for people: tables that fit the terminal, times, counts, colours. */

import { printable } from '../../lib/log.ts'
import type { Invocation, Terminal } from '../command.ts'

/** Prints a result: as JSON with --json, else its words, which are a text or lines from outside. */
export function print(
  { values, terminal }: Pick<Invocation, 'values' | 'terminal'>,
  result: unknown,
  words: string | readonly string[],
): void {
  const text = typeof words === 'string' ? words.trimEnd() : words.map(printable).join('\n')
  terminal.out(`${values['json'] === true ? JSON.stringify(result) : text}\n`)
}

type Colour = 'red' | 'green' | 'yellow' | 'dim'
const sequences: Readonly<Record<Colour, string>> = { red: '31', green: '32', yellow: '33', dim: '2' }

export type Cell = string | { readonly text: string; readonly colour: Colour }

export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** The column may be cut to this width if the table is too wide. */
  readonly minimum?: number
  /** Its cells get more lines instead of being cut. A word stays whole. */
  readonly wraps?: true
}

/** The maximum width of a table in a file or pipe, and of paragraphs. */
export const maximumWidth = 100
const gap = 2

interface Text {
  readonly text: string
  readonly colour?: Colour
}

/**
 * A table no wider than the terminal. If that is impossible, columns without `minimum` still keep their full width. It
 * has no header if no column has a title.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { outColumns, colours }: Pick<Terminal, 'outColumns' | 'colours'>,
): string {
  const cells = rows.map((row) => row.map(printableText))
  const widths = widthsOf(columns, cells, outColumns || maximumWidth)
  const hasHeader = columns.some(({ title }) => title !== '')
  const header = columns.map(({ title }): Text => ({ text: title, colour: 'dim' }))
  return [...(hasHeader ? [header] : []), ...cells]
    .flatMap((row) => linesOf(row, columns, widths))
    .map((line) => `${drawLine(line, columns, widths, colours)}\n`)
    .join('')
}

function printableText(cell: Cell): Text {
  return typeof cell === 'string' ? { text: printable(cell) } : { ...cell, text: printable(cell.text) }
}

function widthsOf(columns: readonly Column[], cells: readonly (readonly Text[])[], limit: number): readonly number[] {
  const textsOf = (i: number) => [columns[i]?.title ?? '', ...cells.map((row) => row[i]?.text ?? '')]
  const widest = columns.map((_, i) => widthOf(textsOf(i)))
  const narrowest = columns.map(({ minimum, wraps }, i) => {
    const words = wraps ? textsOf(i).flatMap((text) => text.split(' ')) : []
    return minimum && Math.max(minimum, widthOf(words))
  })
  return fit(narrowest, widest, limit)
}

/** The width of the widest text. */
function widthOf(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, Bun.stringWidth(text)), 0)
}

/** The lines of a row: several if a cell is wrapped. */
function linesOf(row: readonly Text[], columns: readonly Column[], widths: readonly number[]): Text[][] {
  const parts = row.map(({ text }, i) => {
    const width = widths[i] ?? 0
    return columns[i]?.wraps ? wrap(text, width) : [clip(text, width)]
  })
  const height = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => row.map((cell, i) => ({ ...cell, text: parts[i]?.[at] ?? '' })))
}

function drawLine(line: readonly Text[], columns: readonly Column[], widths: readonly number[], colours: boolean) {
  return line
    .map(({ text, colour }, i) => {
      const space = ' '.repeat(Math.max(0, (widths[i] ?? 0) - Bun.stringWidth(text)))
      const shown = paint(text, colours ? colour : undefined)
      if (columns[i]?.align === 'right') return space + shown
      return i === line.length - 1 ? shown : shown + space
    })
    .join(' '.repeat(gap))
    .trimEnd()
}

/** A table of records: each column has a cell of each record. */
export function formatRecords<Record>(
  columns: readonly (Column & { readonly cell: (record: Record) => Cell })[],
  records: readonly Record[],
  terminal: Pick<Terminal, 'outColumns' | 'colours'>,
): string {
  const rows = records.map((record) => columns.map(({ cell }) => cell(record)))
  return formatTable(columns, rows, terminal)
}

/** The lines of a text, each as indented as the first; a word that is longer than `width` gets its own line. */
export function wrap(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? ''
  const lines: string[] = []
  for (const word of text.slice(indent.length).split(' ')) {
    const last = lines.at(-1)
    const isTooLong = last === undefined || Bun.stringWidth(last) + 1 + Bun.stringWidth(word) > width
    if (isTooLong) lines.push(indent + word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Narrows the widest columns that have a least width until the table fits into `limit`. */
function fit(narrowest: readonly (number | undefined)[], widest: readonly number[], limit: number): readonly number[] {
  const widths = [...widest]
  for (let over = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - limit; over > 0; over--) {
    const cuttable = narrowest.flatMap((least, i) => (least !== undefined && (widths[i] ?? 0) > least ? [i] : []))
    const [first] = cuttable.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (first === undefined) break
    widths[first] = (widths[first] ?? 0) - 1
  }
  return widths
}

let graphemes: Intl.Segmenter | undefined

function clip(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  let kept = ''
  // Created here, because it loads the tables of Unicode, which few commands need.
  graphemes ??= new Intl.Segmenter()
  for (const { segment } of graphemes.segment(text)) {
    if (Bun.stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** The text in a colour, for a terminal that shows it. */
export function paint(text: string, colour: Colour | undefined): string {
  return colour === undefined ? text : `\u001b[${sequences[colour]}m${text}\u001b[0m`
}

/** One line for each pair of a name and a value. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}\n`).join('')
}

/** A time in the time zone of this machine: `2026-11-21 14:05`. */
export function localTime(time: string | number): string {
  const date = new Date(time)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The time that has passed, in one unit up to two days, then the date: `5 min ago`, `2026-11-21`. */
export function ago(time: string | number, nowMs: number): string {
  const passedMs = nowMs - new Date(time).getTime()
  if (passedMs < minuteMs) return 'just now'
  if (passedMs < hourMs) return `${Math.floor(passedMs / minuteMs)} min ago`
  if (passedMs < 2 * dayMs) return `${Math.floor(passedMs / hourMs)} h ago`
  return localTime(time).slice(0, 'YYYY-MM-DD'.length)
}

/** A number with separated thousands: `1,000`. */
export function count(number: number): string {
  return number.toLocaleString('en')
}

/** `1 row`, `2 rows`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}
