/** Path parameters: how each kind is described, recognised in a path and read. A malformed one is a path that leads nowhere. */

import type { TSchema } from '@sinclair/typebox'
import { idSchema, maximumId } from './schemas.ts'

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
      return id >= 1 && id <= maximumId && plainDigits.test(text) ? id : undefined
    },
  }
}

const plainDigits = /^[1-9][0-9]{0,15}$/

/** The segments of a path below `/v1` as a regular expression that matches the whole path of a request. */
export function pathExpression(path: string, params: Readonly<Record<string, PathParameter<unknown>>> = {}): RegExp {
  const source = path.replace(/\{([^}]+)\}/g, (_, name: string) => params[name]?.pattern ?? '[^/]+')
  return new RegExp(`^/v1${source}$`)
}

/** A path in Elysia's notation: `/pets/{petId}` as `/v1/pets/:petId`. */
export function routerPath(path: string): string {
  return `/v1${path.replace(/\{([^}]+)\}/g, ':$1')}`
}
