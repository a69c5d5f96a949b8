/** Checks what requests contain against its schema. The message of an error names the field and the rule. */

import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { AppError } from '../../lib/error.ts'
import { nearest } from '../../lib/nearest.ts'
import { faultOf } from '../schemas.ts'

const shownFaults = 3

/** The most characters of an unknown name that a message repeats. */
const shownCharacters = 40

/**
 * Returns a function that throws an error with `code` for a value that `schema` rejects. The schema is compiled by the
 * first call, so that a start compiles none.
 */
export function createCheck(schema: TSchema, code: 'invalid_body' | 'invalid_parameter'): (value: unknown) => void {
  let check: TypeCheck<TSchema> | undefined
  return (value) => {
    check ??= TypeCompiler.Compile(schema)
    if (!check.Check(value)) throw validationError(code, check, value)
  }
}

/** Its message never contains the value. */
function validationError(
  code: 'invalid_body' | 'invalid_parameter',
  check: TypeCheck<TSchema>,
  value: unknown,
): AppError {
  const faults = new Map<string, string>()
  for (const given of check.Errors(value)) {
    const fault = memberFault(given) ?? given
    const field = fault.path.slice(1).replaceAll('/', '.')
    if (!faults.has(field)) faults.set(field, sentence(field, fault))
    // A list that is too long is followed by its elements, of which there may be half a million.
    if (faults.size === shownFaults || given.type === ValueErrorType.ArrayMaxItems) break
  }
  return new AppError(code, [...faults.values()].join(' '))
}

/**
 * The sentence about a parameter or a member that does not exist, with the nearest of the `names` that do. `path` is
 * the path of the object that has the member, with a dot at its end.
 */
export function unknownName(kind: 'parameter' | 'member', given: string, names: readonly string[], path = ''): string {
  const characters = [...given]
  const name = `${path}${characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join('')}…` : given}`
  // Some clients send the values of a list this way.
  const near = nearest(given.replace(/\[\]$/, ''), names)
  if (near !== undefined) return `\`${name}\`: did you mean \`${path}${near}\`?`
  const others = names.map((other) => `${path}${other}`).join(', ')
  return `There is no ${kind} \`${name}\` here${names.length === 0 ? ': this operation has none.' : `, only ${others}.`}`
}

function sentence(field: string, { type, path, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const end = path.lastIndexOf('/')
    const parent = path.slice(1, end + 1).replaceAll('/', '.')
    return unknownName('member', unescaped(path.slice(end + 1)), writableNames(schema), parent)
  }
  if (field === '') return 'The body must be a JSON object.'
  if (type === ValueErrorType.ObjectRequiredProperty) return `${field} is required.`
  const rule = ruleOf(schema, value)
  return `${field} ${rule}${rule.endsWith('?') ? '' : '.'}`
}

/** The members of an object that a request can set. */
function writableNames({ properties = {} }: TSchema): string[] {
  return Object.entries<TSchema>(properties).flatMap(([name, { readOnly }]) => (readOnly ? [] : [name]))
}

/** A name in a JSON Pointer (RFC 6901). */
function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The fault of a member, where the value of a nullable object is an object. */
function memberFault({ schema, value, errors }: ValueError): ValueError | undefined {
  const [object] = (schema['anyOf'] ?? []) as readonly TSchema[]
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return object?.['type'] === 'object' && isObject ? errors[0]?.First() : undefined
}

type RuledSchema = TSchema & { [faultOf]?: (value: string) => string | undefined }

function ruleOf(schema: RuledSchema, value: unknown): string {
  const either = schema['anyOf'] as readonly RuledSchema[] | undefined
  // The first schema of a nullable value has its rule; the second is null.
  if (either?.[0]) return `${ruleOf(either[0], value)}, or null`
  if (Array.isArray(schema['enum'])) {
    return schema[faultOf]?.(String(value)) ?? `must be one of ${schema['enum'].join(', ')}`
  }
  if ('const' in schema) return `must be ${JSON.stringify(schema['const'])}`
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Partial<Record<string, number>>
  switch (schema['type']) {
    case 'integer':
      return minimum === maximum ? `must be ${minimum}` : `must be an integer from ${minimum} to ${maximum}`
    case 'boolean':
      return 'must be true or false'
    case 'object':
      return 'must be an object'
    case 'array':
      if (schema[faultOf]) return schema[faultOf](String(value)) ?? 'is not valid'
      return `must be a list of ${minItems ?? 0} to ${maxItems} different values`
    case 'string':
      if (typeof value !== 'string') return 'must be a string'
      if (schema['format'] === 'date-time') return 'must be a time such as 2030-06-01T12:00:00Z (RFC 3339)'
      return schema[faultOf]?.(value) ?? lengthRule([...value].length, minLength ?? 0, maxLength ?? 0)
    default:
      return 'is not valid'
  }
}

function lengthRule(length: number, minimum: number, maximum: number): string {
  const fits = length >= minimum && length <= maximum
  return fits ? 'has characters that are not allowed' : `must have ${minimum} to ${maximum} characters`
}
