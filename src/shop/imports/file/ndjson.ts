/** Reads the objects of NDJSON, one on each line, or of a JSON array. */

import { maximumColumns } from './columns.ts'
import { createElements, createLines, type JsonText } from './json-texts.ts'
import type { Reading } from './reading.ts'
import { maximumRowBytes, type RowReader, tooLong } from './rows.ts'
import { createTable } from './table.ts'

type Members = Readonly<Record<string, unknown>>

/** The number of objects that are read at a time. */
const batchObjects = 100

/** Creates a reader of a file that begins with `head`, whose columns are the members of its objects. */
export function createNdjsonReader(head: string, reading: Reading): RowReader {
  const isArray = head.trimStart().startsWith('[')
  const source = isArray ? createElements() : createLines()
  const members = createMemberColumns()
  const table = createTable<string>(
    {
      delimiter: null,
      hasHeader: true,
      header: members.names,
      line: 1,
      cellsOf: (text) => members.cellsOf(parseObject(text) ?? {}),
      // As an object, a list that is nested too deep could not be written again.
      textOf: (text) => text,
    },
    reading,
  )

  function add({ line, text, fault }: JsonText): void {
    const isTooLong = text.length * 3 > maximumRowBytes && Buffer.byteLength(text) > maximumRowBytes
    if (isTooLong) table.addFault(line, { fault: tooLong })
    else if (fault !== undefined) table.addFault(line, { fault }, text)
    else if (text.trim() !== '') {
      const object = parseObject(text)
      if (object) table.add(line, text, members.cellsOf(object))
      else table.addFault(line, { fault: `the ${isArray ? 'element' : 'line'} is not a JSON object` }, text)
    }
  }

  function* addAll(text: string, isEnd: boolean): Generator<void> {
    let objects = 0
    for (const one of source.read(text, isEnd)) {
      add(one)
      if (++objects % batchObjects !== 0) continue
      table.endBatch()
      yield
    }
  }

  return {
    read: (text) => addAll(text, false),
    *end(onLayout) {
      for (const _ of addAll('', true)) yield []
      yield* table.rows(onLayout)
    },
    nextLine: source.line,
  }
}

/** The columns of objects: their members, also those of the objects in them, whose names are `category.name`. */
function createMemberColumns() {
  const names: string[] = []
  /** The index of each name, exactly and in lower case. */
  const indexes = new Map<string, number>()
  const folded = new Map<string, number>()

  /** The index of a name, whose case is ignored unless the object has several such members. */
  function indexOf(name: string, cells: Record<number, unknown>): number | undefined {
    const known = indexes.get(name)
    if (known !== undefined) return known
    const other = folded.get(name.toLowerCase())
    if (other !== undefined && !(other in cells)) return other
    // One more than can be read is a fault of the file.
    if (names.length > maximumColumns) return undefined
    const index = names.push(name) - 1
    indexes.set(name, index)
    if (other === undefined) folded.set(name.toLowerCase(), index)
    return index
  }

  function addMembers(cells: Record<number, unknown>, members: Members, prefix: string, depth: number): void {
    for (const [member, value] of Object.entries(members)) {
      const name = prefix + member
      if (isObject(value) && depth < maximumDepth) addMembers(cells, value, `${name}.`, depth + 1)
      else {
        const index = indexOf(name, cells)
        if (index !== undefined) cells[index] = value
      }
    }
  }

  return {
    names,
    cellsOf(members: Members): Readonly<Record<number, unknown>> {
      const cells: Record<number, unknown> = {}
      addMembers(cells, members, '', 0)
      return cells
    },
  }
}

/** Objects that are nested deeper are values. */
const maximumDepth = 8

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
