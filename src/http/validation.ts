/**
 * The parameter schemas that TypeBox lacks, and the words for what a schema refuses. Bodies use
 * `Type.*` as it is; parameters arrive as text and are checked as text, so that `limit=0x10` or `1e1`
 * is no number here although JavaScript would take it for one.
 */

import { Kind, type SchemaOptions, type TProperties, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { ValidationError } from 'elysia'
import { AppError } from '../lib/error.ts'
import { labelFault, labelPattern } from '../lib/text.ts'

/** The largest id: the largest integer that every JSON reader keeps exactly. */
export const maximumId = Number.MAX_SAFE_INTEGER

export interface IntegerOptions extends SchemaOptions {
  readonly minimum: number
  readonly maximum: number
  readonly format?: 'int32' | 'int64'
}

TypeRegistry.Set<IntegerOptions>('IntegerParameter', ({ minimum, maximum }, value) => {
  if (typeof value === 'number') return true // a default
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value) && +value >= minimum && +value <= maximum
})

/** A whole number in a query or path, in plain digits; handlers read it with `Number()`. */
export function integerParameter(options: IntegerOptions) {
  return Type.Unsafe<string | number>({ ...options, [Kind]: 'IntegerParameter', type: 'integer' })
}

interface EnumOptions extends SchemaOptions {
  readonly enum: readonly string[]
}

TypeRegistry.Set<EnumOptions>('StringEnum', (schema, value) => schema.enum.includes(value as string))

/** A parameter that may still change, as the description says of it. */
export function beta<T extends TSchema>(schema: T): T {
  return { ...schema, description: `**Beta.** ${schema.description}`, 'x-stability': 'beta' }
}

/** The id of a record in a path or query. A malformed one in a path is not found, as an unknown one is. */
export function idParameter(description: string) {
  return integerParameter({ format: 'int64', minimum: 1, maximum: maximumId, description, examples: [1] })
}

/** One of the given strings, as a JSON Schema `enum`. */
export function stringEnum<const T extends string>(values: readonly T[], options: SchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, [Kind]: 'StringEnum', type: 'string', enum: values })
}

/** An object of which members that aren't described are ignored, as every body and query here. */
export function openObject<T extends TProperties>(properties: T, options: SchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: true })
}

/** The id of a record in a body. */
export function idSchema(description: string) {
  return Type.Integer({ format: 'int64', minimum: 1, maximum: maximumId, description, examples: [1] })
}

TypeRegistry.Set('Time', (_, value) => typeof value === 'string' && parseTime(value) !== undefined)

/** A time in RFC 3339, written in UTC. */
export function timeSchema(description: string) {
  return Type.Unsafe<string>({
    [Kind]: 'Time',
    type: 'string',
    format: 'date-time',
    maxLength: 40,
    description,
    examples: ['2030-06-01T12:00:00.000Z'],
  })
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Unix milliseconds of a time in RFC 3339 that exists and, in UTC, has a year of four digits; else undefined. */
export function parseTime(text: string): number | undefined {
  const upper = text.toUpperCase()
  const [, date] = rfc3339.exec(upper) ?? []
  // JavaScript takes 30 February for 2 March.
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const ms = Date.parse(upper)
  const year = new Date(ms).getUTCFullYear()
  return year >= 0 && year <= 9999 ? ms : undefined
}

/** What `schema` describes, or null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** Composing a name's characters (NFC) can make one of them three. */
const compositionGrowth = 3

interface LengthOptions extends SchemaOptions {
  readonly minLength: number
  readonly maxLength: number
}

/** A text whose length is counted in code points, as JSON Schema counts; TypeBox counts UTF-16 units. */
export function codePoints(kind: string, options: LengthOptions) {
  TypeRegistry.Set(kind, (_, value) => {
    if (typeof value !== 'string') return false
    const length = [...value].length
    return length >= options.minLength && length <= options.maxLength
  })
  return Type.Unsafe<string>({ ...options, [Kind]: kind, type: 'string' })
}

/** What people may call something: the schema of a name as given, and as stored. */
export function label(kind: string, maximum: number, description: string, example: string) {
  const options = { minLength: 1, pattern: labelPattern, examples: [example] }
  const rule = `1 to ${maximum} Unicode characters, not all of them white space, no control characters. Stored trimmed and in Unicode's canonical composition (NFC).`
  TypeRegistry.Set(kind, (_, value) => typeof value === 'string' && labelFault(value, maximum) === undefined)
  return {
    given: Type.Unsafe<string>({
      ...options,
      [Kind]: kind,
      [faultOf]: (value: string) => labelFault(value, maximum),
      type: 'string',
      maxLength: maximum,
      description: `${description} ${rule}`,
    }),
    stored: Type.String({ ...options, maxLength: compositionGrowth * maximum, description }),
  }
}

const faultOf = Symbol('what is wrong with a value')

const shownFaults = 3

export function isInvalid(error: unknown): error is ValidationError {
  return error instanceof ValidationError
}

/** The refusal for input that its schema refuses, naming each field and its rule. */
export function explain(error: ValidationError): AppError {
  // A path parameter that can't be an id leads nowhere.
  if (error.type === 'params') return new AppError('not_found', 'There is nothing at this address.')
  const faults = new Map<string, string>()
  if (!('Errors' in error.validator)) throw error
  for (const fault of error.validator.Errors(error.value) as Iterable<ValueError>) {
    const field = fault.path.slice(1).replaceAll('/', '.')
    if (!faults.has(field)) faults.set(field, sentence(field, fault))
    if (faults.size === shownFaults) break
  }
  const code = error.type === 'body' ? 'invalid_body' : 'invalid_parameter'
  return new AppError(code, [...faults.values()].join(' '))
}

function sentence(field: string, { type, schema, value }: ValueError): string {
  if (field === '') return 'The body must be a JSON object.'
  if (type === ValueErrorType.ObjectRequiredProperty) return `${field} is required.`
  return `${field} ${ruleOf(schema, value)}.`
}

type RuledSchema = TSchema & { [faultOf]?: (value: string) => string | undefined }

function ruleOf(schema: RuledSchema, value: unknown): string {
  const either = schema['anyOf'] as readonly RuledSchema[] | undefined
  // What may be null is otherwise described by the first of the two.
  if (either?.[0]) return `${ruleOf(either[0], value)}, or null`
  if (Array.isArray(schema['enum'])) return `must be one of ${schema['enum'].join(', ')}`
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Partial<Record<string, number>>
  switch (schema['type']) {
    case 'integer':
      return minimum === maximum ? `must be ${minimum}` : `must be an integer from ${minimum} to ${maximum}`
    case 'array':
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
