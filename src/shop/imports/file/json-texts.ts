/** Divides a file into the texts of its JSON values: the lines of NDJSON, or the elements of an array. */

import { maximumRowBytes } from './rows.ts'

/** A text that should be a value, or that can't be one. */
export interface JsonText {
  /** The number of the line on which it begins, from 1. */
  readonly line: number
  readonly text: string
  readonly fault?: string
}

export interface JsonTexts {
  /** The texts that end in `text`, which follows the text that was read before; with `isEnd`, also the last one. */
  read(text: string, isEnd: boolean): Iterable<JsonText>
  /** The number of the line on which the next text begins. */
  line(): number
}

/** Of a text that is too long anyway, enough is kept to say so. */
const keptCharacters = maximumRowBytes + 1

/** The lines of a file, also blank ones. */
export function createLines(): JsonTexts {
  let rest = ''
  let line = 1
  return {
    *read(text, isEnd) {
      const lines = `${rest}${text}`.split('\n')
      rest = isEnd ? '' : (lines.pop() ?? '').slice(0, keptCharacters)
      for (const one of lines) yield { line: line++, text: one }
    },
    line: () => line,
  }
}

const notClosed = 'the array has no closing bracket: the end of the file is missing'

/** The elements of an array, as far as its brackets, quotes and commas show them. */
export function createElements(): JsonTexts {
  let element = ''
  /** The line on which the element begins, and that of the current character. */
  let start = 1
  let line = 1
  /** The number of open brackets: 1 between the elements, 0 before and after the array. */
  let depth = 0
  let isInString = false
  let isEscaped = false

  /** Whether a character ends an element, as a comma or a bracket of the array does. */
  function ends(character: string): boolean {
    if (isInString) {
      if (!isEscaped && character === '"') isInString = false
      isEscaped = !isEscaped && character === '\\'
      return false
    }
    if (character === '"') isInString = true
    if (character === '[' || character === '{') return ++depth === 1
    if (character === ']' || character === '}') return --depth === 0
    return character === ',' && depth === 1
  }

  /** Adds a part to the element, which ends on the current line. */
  function append(part: string): void {
    const text = element === '' ? part.trimStart() : part
    if (element === '') start = line - (text.split('\n').length - 1)
    element = (element + text).slice(0, keptCharacters)
  }

  /** The element that has ended; none if it is blank, as before the first one. */
  function* take(fault?: string): Generator<JsonText> {
    const text = element.trim()
    element = ''
    if (fault !== undefined) yield { line: start, text, fault }
    else if (text !== '') yield { line: start, text }
  }

  return {
    *read(text, isEnd) {
      let from = 0
      for (let at = 0; at < text.length; at++) {
        const character = text[at] ?? ''
        if (ends(character)) {
          append(text.slice(from, at))
          yield* take()
          from = at + 1
        }
        if (character === '\n') line++
      }
      append(text.slice(from))
      if (isEnd) yield* take(depth > 0 ? notClosed : undefined)
    },
    line: () => line,
  }
}
