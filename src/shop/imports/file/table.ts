/**
 * Keeps the rows of a file while it arrives, and reads them when all of it is known, because the whole file shows which
 * columns an animal has.
 */

import { AppError } from '../../../lib/error.ts'
import { foldedText } from '../../../lib/text.ts'
import { maximumRows } from '../rules.ts'
import { createBatches } from './batches.ts'
import { type Columns, chosenIndexes, type Located, locateColumns, maximumColumns } from './columns.ts'
import { createColumnFacts, isNumber } from './facts.ts'
import type { ImportField } from './fields.ts'
import { dayColumn, isKnownName, mayBeNumber } from './guess.ts'
import type { Reading } from './reading.ts'
import { type Delimiter, type Fault, type Fields, isBlank, type Layout, type SourceRow, shownRows } from './rows.ts'
import { anyWord, foldedWord, statusOf } from './words.ts'

/** The cells of a row by the indexes of their columns. */
export type Cells = readonly unknown[] | Readonly<Record<number, unknown>>

export interface TableOptions<Row> {
  readonly delimiter: Delimiter | null
  readonly hasHeader: boolean
  /** The names of the columns, to which a format without a header adds those that it finds. */
  readonly header: readonly string[]
  /** The line of the header or, without one, of the first row. */
  readonly line: number
  /** The cells of a row, of which empty ones may be missing. */
  readonly cellsOf: (row: Row) => Cells
  /** The row as it is in the file. */
  readonly textOf: (row: Row) => string
}

/** A row that is kept, or a part of the file that is none. */
type Kept<Row> = readonly [line: number, row: Row] | readonly [line: number, row: null, fault: string, text?: string]

const noColumns: Columns = { names: new Map(), chosen: new Set() }

export function createTable<Row extends string | readonly string[]>(
  { delimiter, hasHeader, header, line: firstLine, cellsOf, textOf }: TableOptions<Row>,
  reading: Reading & { readonly dryRun?: boolean | undefined },
) {
  const kept = createBatches<Kept<Row | readonly string[]>>()
  const facts: ReturnType<typeof createColumnFacts>[] = []
  const samples: Row[] = []
  let rows = 0
  let readable = 0
  /** The last rows, which may be totals. */
  let last: readonly (readonly [line: number, cells: Cells])[] = []

  const columns = () => header.map((name, i) => ({ name, ...(facts[i] ?? createColumnFacts(false)).facts }))

  function layoutOf(located: Located): Layout {
    const texts = samples.map((row) => {
      const cells = cellsOf(row)
      return header.map((_, i) => textOfCell(cells[i]))
    })
    const totals = delimiter === null ? [] : totalsOf(last, header.length)
    const headerLine = hasHeader ? firstLine : null
    const animals = readable - totals.length
    return { reading, delimiter, headerLine, columns: columns(), rows: animals, samples: texts, located, totals }
  }

  function count(): void {
    if (++rows > maximumRows) throw tooManyRows()
  }

  const isNamed = createNameTest(header, reading)

  /** A row without those cells that no field can be read from, whatever follows in the file. */
  function usefulPart(row: Row): Row | readonly string[] {
    if (typeof row === 'string' || reading.dryRun) return row
    return row.map((cell, i) => (facts[i]?.facts.hasMore && !isNamed(i) ? '' : cell))
  }

  return {
    /** Adds a row. */
    add(line: number, row: Row, cells = cellsOf(row)): void {
      count()
      readable++
      if (samples.length < shownRows) samples.push(row)
      for (let i = 0; i < header.length && i < maximumColumns; i++) {
        const text = textOfCell(cells[i])
        if (text === '') continue
        facts[i] ??= createColumnFacts(mayBeNumber(header[i] ?? ''))
        facts[i]?.see(text)
      }
      last = [...last.slice(-1), [line, cells]]
      kept.add([line, usefulPart(row)])
    },
    /** Adds a part of the file that is no row. */
    addFault(line: number, { fault }: Fault, text?: string): void {
      count()
      kept.add(text === undefined ? [line, null, fault] : [line, null, fault, text])
    },
    /** Ends a batch of rows, which are read together in a few milliseconds. */
    endBatch: kept.endBatch,
    /** Reads the rows. Throws `invalid_parameter` if the file lacks a chosen column. */
    *rows(onLayout: (layout: Layout) => void): Generator<SourceRow[]> {
      const { category, changesAnimals, attributes } = reading
      const hasOneCategory = category !== undefined
      // Without an object, a file has no columns to look for.
      const wanted = header.length === 0 ? noColumns : reading.columns
      const located = locateColumns(columns(), wanted, { hasHeader, hasOneCategory, changesAnimals, attributes })
      const layout = layoutOf(located)
      for (const column of facts) column?.end()
      onLayout(layout)
      if (located.fault !== undefined && header.length > 0) {
        const text = () => header.join(delimiter ?? ',')
        yield [{ line: firstLine, fault: located.fault, text, isFatal: true, lacksColumns: true }]
        return
      }
      const readCells = createCellReader(layout)
      const totals = new Set(layout.totals)
      const rowOf = ([line, row, fault = '', text]: Kept<Row>): SourceRow | undefined => {
        if (row === null) return { line, fault, ...(text === undefined ? {} : { text: () => text }) }
        return totals.has(line) ? undefined : { line, text: () => textOf(row), ...readCells(cellsOf(row)) }
      }
      for (const batch of kept.take()) yield batch.flatMap((one) => rowOf(one as Kept<Row>) ?? [])
    },
  }
}

/** Returns the function that says whether a column has a name that means something, or is chosen. */
function createNameTest(header: readonly string[], { columns, attributes }: Reading): (index: number) => boolean {
  const chosen = new Set(chosenIndexes(header, columns))
  const isNamed = header.map((name, i) => attributes !== undefined || chosen.has(i) || isKnownName(name))
  return (index) => isNamed[index] ?? true
}

/** Returns the function that reads the fields of a row. */
function createCellReader({ located, columns, headerLine, reading }: Layout) {
  const { statuses, categories, category, fill } = reading
  let above: unknown

  const meanings: Partial<Record<ImportField, (word: string, column: string) => string | null | undefined>> = {
    status: (word, column) => statusOf(word, column, statuses),
    category: (word) => {
      const mapped = categories.get(foldedWord(word))
      return mapped === undefined ? categories.get(anyWord) : mapped
    },
  }

  /** The value of a field: of several columns, that of the first which has one. */
  function valueIn(cells: Cells, field: ImportField, indexes: readonly number[]) {
    const index = indexes.find((i) => !isBlank(cells[i])) ?? indexes[0] ?? 0
    const column = columns[index]?.name ?? ''
    if (field !== 'category' || fill === undefined) return { value: cells[index], column }
    if (!isBlank(cells[index])) above = cells[index]
    return { value: above, column }
  }

  const dayIndex = reading.columns.chosen.has('birthDate') ? dayColumn(columns) : undefined

  return (cells: Cells): Pick<SourceRow, 'isLeftOut' | 'attributes'> & ({ readonly fields: Fields } | Fault) => {
    const width = Array.isArray(cells) ? cells.findLastIndex((cell) => !isBlank(cell)) + 1 : 0
    if (width > columns.length) {
      const where = headerLine === null ? 'first line' : 'header'
      return { fault: `the number of fields is ${width}, in the ${where} it is ${columns.length}` }
    }
    const fields: Partial<Record<ImportField, unknown>> = category === undefined ? {} : { category }
    let isLeftOut = false
    for (const [field, indexes] of located.indexes) {
      const { value, column } = valueIn(cells, field, indexes)
      const meaning = typeof value === 'string' && !isBlank(value) ? meanings[field]?.(value, column) : undefined
      if (meaning === null) isLeftOut = true
      fields[field] = meaning ?? value
    }
    const day = dayIndex === undefined ? {} : { day: cells[dayIndex] }
    const attributes = located.attributes.map((i) => ({ label: columns[i]?.name ?? '', text: textOfCell(cells[i]) }))
    const others = attributes.length === 0 ? {} : { attributes }
    return { fields: { ...fields, ...day }, ...others, ...(isLeftOut ? { isLeftOut } : {}) }
  }
}

const totalWord =
  /^(?:grand |sub ?)?(?:total|totals|totales|totaux|totale|totali|totaal|sum|summe|gesamt|gesamtsumme|insgesamt|zwischensumme|somme|suma|razem|somma|som)\b[\s\d:=]*$/

/** The lines of those last rows that are totals: a word for it, and otherwise only numbers. */
function totalsOf(rows: readonly (readonly [line: number, cells: Cells])[], width: number): number[] {
  const isTotal = (cells: Cells) => {
    const [first = '', ...others] = Object.values(cells).flatMap((cell) => (isBlank(cell) ? [] : textOfCell(cell)))
    return width > 1 && totalWord.test(foldedText(first)) && others.every(isNumber)
  }
  const lastAnimal = rows.findLastIndex(([, cells]) => !isTotal(cells))
  return rows.slice(lastAnimal + 1).map(([line]) => line)
}

/** The text of a value; empty for lists, objects and missing values. */
function textOfCell(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}

function tooManyRows(): AppError {
  const most = maximumRows.toLocaleString('en')
  const message = `The file has more than ${most} rows, which is the most that one import adds. Nothing was changed; split the file.`
  return new AppError('payload_too_large', message)
}
