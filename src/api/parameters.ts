/**
 * Path parameters: the schema, pattern and parser of each kind. A path with a malformed parameter is not found (404).
 */

import { type TSchema, Type } from '@sinclair/typebox'
import { idSchema, maximumId, stringEnum } from './schemas.ts'

export interface PathParameter<T> {
  readonly schema: TSchema
  /** The source of a regular expression for one segment of a path. */
  readonly pattern: string
  /** The value, or undefined if `text` cannot be one. */
  parse(text: string): T | undefined
}

/** The id of a record: 1 to 2^53 − 1 in plain digits. */
export function idParameter(description: string): PathParameter<number> {
  return {
    schema: idSchema(description),
    pattern: '[1-9][0-9]{0,15}',
    parse(text) {
      const id = Number(text)
      return Number.isInteger(id) && id >= 1 && id <= maximumId && String(id) === text ? id : undefined
    },
  }
}

/** One of the given words. */
export function choiceParameter<const T extends string>(values: readonly T[], description: string): PathParameter<T> {
  return {
    schema: stringEnum(values, { description, examples: [values[0]] }),
    pattern: `(?:${values.join('|')})`,
    parse: (text) => values.find((value) => value === text),
  }
}

/** The name of a file without its directory: never `.` or `..`, and without slashes. */
export function fileNameParameter(description: string): PathParameter<string> {
  const [pattern, maxLength] = ['[A-Za-z0-9][A-Za-z0-9._-]*', 255]
  const expression = new RegExp(`^${pattern}$`)
  return {
    schema: Type.String({
      minLength: 1,
      description,
      examples: ['production-20261120T101500Z.db'],
      pattern: `^${pattern}$`,
      maxLength,
    }),
    pattern,
    parse: (text) => (text.length <= maxLength && expression.test(text) ? text : undefined),
  }
}

/**
 * The segments of a path below `/v1` as a regular expression that matches the whole path of a request. A parameter that
 * is not in `params` can be any segment.
 */
export function pathExpression(path: string, params: Readonly<Record<string, PathParameter<unknown>>> = {}): RegExp {
  const source = path.replace(/\{([^}]+)\}/g, (_, name: string) => params[name]?.pattern ?? '[^/]+')
  return new RegExp(`^/v1${source}$`)
}

/** A path in Elysia's notation: `/pets/{petId}` as `/v1/pets/:petId`. */
export function routerPath(path: string): string {
  return `/v1${path.replace(/\{([^}]+)\}/g, ':$1')}`
}
