/**
 * The parameter schemas that TypeBox lacks, and the words for what a schema refuses. Bodies use
 * `Type.*` as it is; parameters arrive as text and are checked as text, so that `limit=0x10` or `1e1`
 * is no number here although JavaScript would take it for one.
 */

import { Kind, type SchemaOptions, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { ValidationError } from 'elysia'
import { AppError } from '../lib/error.ts'

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

/** The id of a record in a path. A malformed one is not found, as an unknown one is. */
export function pathId(description: string) {
  return integerParameter({ format: 'int64', minimum: 1, maximum: maximumId, description, examples: [1] })
}

interface EnumOptions extends SchemaOptions {
  readonly enum: readonly string[]
}

TypeRegistry.Set<EnumOptions>('StringEnum', (schema, value) => schema.enum.includes(value as string))

/** One of the given strings, as a JSON Schema `enum`. */
export function stringEnum<const T extends string>(values: readonly T[], options: SchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, [Kind]: 'StringEnum', type: 'string', enum: values })
}

/** A kind of string with a rule of its own beside its JSON Schema; `fault` gives the broken rule's words. */
export function stringWithRule(kind: string, options: SchemaOptions, fault: (value: string) => string | undefined) {
  TypeRegistry.Set(kind, (_, value) => typeof value === 'string' && fault(value) === undefined)
  return Type.Unsafe<string>({ ...options, [Kind]: kind, type: 'string', [faultOf]: fault })
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

function ruleOf(schema: TSchema & { [faultOf]?: (value: string) => string | undefined }, value: unknown): string {
  if (Array.isArray(schema['enum'])) return `must be one of ${schema['enum'].join(', ')}`
  const { minimum, maximum, minLength, maxLength } = schema as Partial<Record<string, number>>
  switch (schema['type']) {
    case 'integer':
      return `must be an integer from ${minimum} to ${maximum}`
    case 'string':
      if (typeof value !== 'string') return 'must be a string'
      return schema[faultOf]?.(value) ?? `must have ${minLength ?? 0} to ${maxLength} characters`
    default:
      return 'is not valid'
  }
}
