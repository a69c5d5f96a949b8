/** Reads and validates the query of a request. */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { AppError } from '../../lib/error.ts'
import { createCheck, unknownName } from './check.ts'

export type QueryValues = Record<string, string | number | boolean>

/**
 * Returns a function that reads the parameters which `properties` describe from a URL. Values of a list that is given
 * several times are separated by commas, as within one. It throws `invalid_parameter` for any other parameter that is
 * given twice, for one that is not declared, and for a value that its schema rejects.
 */
export function createQueryReader(properties: TProperties): (url: string) => QueryValues {
  const names = Object.keys(properties)
  const schema: TSchema = Type.Object(properties)
  const check = createCheck(schema, 'invalid_parameter')
  const integers = new Set(names.filter((name) => properties[name]?.['type'] === 'integer'))
  const booleans = new Set(names.filter((name) => properties[name]?.['type'] === 'boolean'))

  /** The encoded values by name. */
  function split(url: string): ReadonlyMap<string, string> {
    const encoded = new Map<string, string>()
    const start = url.indexOf('?') + 1
    if (start === 0) return encoded
    for (const part of url.slice(start).split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const name = equals === -1 ? part : part.slice(0, equals)
      // A name that cannot be decoded is not declared.
      const given = decoded(name) ?? name
      if (!names.includes(given)) throw new AppError('invalid_parameter', unknownName('parameter', given, names))
      const value = equals === -1 ? '' : part.slice(equals + 1)
      const before = encoded.get(given)
      if (before !== undefined && properties[given]?.['type'] !== 'array') {
        throw new AppError('invalid_parameter', `${given} must be given only once.`)
      }
      encoded.set(given, before === undefined ? value : `${before},${value}`)
    }
    return encoded
  }

  return (url) => {
    const values: QueryValues = {}
    const encoded = split(url)
    // In the order of the declaration, which is also that of the link to the next page.
    for (const name of names) {
      const text = encoded.get(name)
      if (text === undefined) continue
      const value = decoded(text)
      if (value === undefined) throw new AppError('invalid_parameter', `${name} is not percent-encoded UTF-8.`)
      values[name] = value
    }
    check(values)
    for (const name of integers) if (name in values) values[name] = Number(values[name])
    for (const name of booleans) if (name in values) values[name] = values[name] === 'true'
    return values
  }
}

/** A part of a query without its encoding; undefined if it is not percent-encoded UTF-8. */
function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
