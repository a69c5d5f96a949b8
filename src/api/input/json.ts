/**
 * Parses JSON of requests. The nesting depth is checked before parsing, because the work of parsers, validators and
 * loggers grows with it. A number that JavaScript would round to an integer is not accepted as an integer.
 */

import { AppError } from '../../lib/error.ts'

/** The deepest nesting of arrays and objects that is accepted; the schemas of this API have at most three levels. */
export const maximumDepth = 64

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws `malformed_json`, and `invalid_body` for a body that is nested too deeply. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw malformed(cause)
  }
  if (bytes.length > maximumDepth && depthOf(text) > maximumDepth) {
    throw new AppError('invalid_body', `The body is nested deeper than ${maximumDepth} levels.`)
  }
  try {
    const value: unknown = JSON.parse(text)
    // A reviver would visit every value of the body, which takes ten times as long as parsing.
    const exact = longNumber.test(text) ? keepFractions(text) : text
    return exact === text ? value : JSON.parse(exact)
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): AppError {
  return new AppError('malformed_json', 'The body is not well-formed JSON in UTF-8.', { cause })
}

/** The nesting depth of brackets outside of strings; counting stops above the maximum. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = endOfString(text, i)
    else if (code === openBracket || code === openBrace) {
      depth++
      if (depth > deepest) deepest = depth
      if (deepest > maximumDepth) return deepest
    } else if (code === closeBracket || code === closeBrace) depth--
  }
  return deepest
}

/** The index of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Numbers of up to 15 digits are exact enough in JavaScript: none is rounded to an integer. */
const longNumber = /[0-9.]{17}/

/**
 * The beginning of a string, or a long number with a fraction. Looking behind keeps the work for a row of digits
 * linear.
 */
const quoteOrLongFraction = /"|(?<![0-9])(?=[0-9.]{17})[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?/g

/**
 * Replaces the numbers of well-formed JSON that would be rounded to integers by one that no schema accepts as an
 * integer.
 */
function keepFractions(text: string): string {
  const pieces: string[] = []
  let copiedTo = 0
  const search = new RegExp(quoteOrLongFraction)
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const [literal] = found
    if (literal === '"') {
      search.lastIndex = endOfString(text, found.index) + 1
    } else if (Number.isInteger(Number(literal)) && hasFraction(literal)) {
      pieces.push(text.slice(copiedTo, found.index), '0.5')
      copiedTo = search.lastIndex
    }
  }
  return pieces.join('') + text.slice(copiedTo)
}

function hasFraction(literal: string): boolean {
  const [, fraction = '', exponent = '0'] = /\.([0-9]+)(?:[eE]([+-]?[0-9]+))?$/.exec(literal) ?? []
  return /[1-9]/.test(fraction.slice(Math.max(0, Number(exponent))))
}
