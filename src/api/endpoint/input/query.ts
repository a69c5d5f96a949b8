/**
 * Reads the query of a request. The encoded parameters are also the key of cached pages: two queries have the same key
 * only if they are the same query, even if they contain texts such as `undefined`.
 */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { AppError } from '../../../lib/error.ts'
import { lazyCheck } from './check.ts'
import { unknownName, validationError } from './explain.ts'

export type QueryValues = Record<string, string | number | boolean>

export interface QueryReader {
  readonly names: readonly string[]
  /**
   * The parameters of `url`, encoded, one for each of `names`. Values of a list that is given several times are separated by
   * commas, as within one. Throws `invalid_parameter` for any other parameter that is given twice, and for one that is not
   * declared.
   */
  split(url: string): readonly (string | undefined)[]
  /** A text that two URLs have in common only if `split` returns the same for them. Throws like `split`. */
  keyOf(url: string): string
  /** Validates the result of `split` and returns the values. Throws `invalid_parameter`. */
  read(encoded: readonly (string | undefined)[]): QueryValues
}

/** Reads the parameters that `properties` describe and rejects all others. */
export function createQueryReader(properties: TProperties): QueryReader {
  const names = Object.keys(properties)
  const schema: TSchema = Type.Object(properties)
  const checkOf = lazyCheck(schema)
  const integers = new Set(names.filter((name) => properties[name]?.['type'] === 'integer'))
  const booleans = new Set(names.filter((name) => properties[name]?.['type'] === 'boolean'))
  const none: readonly undefined[] = names.map(() => undefined)

  function split(url: string): readonly (string | undefined)[] {
    const start = url.indexOf('?') + 1
    if (start === 0) return none
    const encoded: (string | undefined)[] = none.slice()
    for (const part of url.slice(start).split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const given = decodedName(equals === -1 ? part : part.slice(0, equals))
      const index = names.indexOf(given)
      if (index === -1) throw new AppError('invalid_parameter', unknownName('parameter', given, names))
      const value = equals === -1 ? '' : part.slice(equals + 1)
      const before = encoded[index]
      if (before !== undefined && properties[given]?.['type'] !== 'array') {
        throw new AppError('invalid_parameter', `${given} must be given only once.`)
      }
      encoded[index] = before === undefined ? value : `${before},${value}`
    }
    return encoded
  }

  return {
    names,
    split,
    keyOf: (url) => keyOfQuery(split(url)),
    read(encoded) {
      const values: QueryValues = {}
      for (const [index, name] of names.entries()) {
        const text = encoded[index]
        if (text !== undefined) values[name] = decoded(name, text)
      }
      const check = checkOf()
      if (!check.Check(values)) throw validationError('invalid_parameter', check, values)
      for (const name of integers) if (name in values) values[name] = Number(values[name])
      for (const name of booleans) if (name in values) values[name] = values[name] === 'true'
      return values
    },
  }
}

/** Encoded values contain no `&`, and an absent value differs from an empty one. */
function keyOfQuery(encoded: readonly (string | undefined)[]): string {
  let key = ''
  for (const value of encoded) key += value === undefined ? '&' : `=${value}&`
  return key
}

/** The decoded name of a parameter. A name that cannot be decoded is not declared: it is returned unchanged. */
function decodedName(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function decoded(name: string, text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new AppError('invalid_parameter', `${name} is not percent-encoded UTF-8.`)
  }
}
