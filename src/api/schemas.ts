/**
 * The schemas that TypeBox lacks. Bodies use `Type.*`; parameters arrive as text and are checked as text, so that
 * `limit=0x10` or `1e1` is rejected although JavaScript reads both as numbers.
 */

import {
  Kind,
  type SchemaOptions,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'
import { parseTime } from '../lib/duration.ts'
import { labelFault, labelPattern, linesPattern, textFault, textPattern } from '../lib/text.ts'

/** The member of a schema with a function that returns the broken rule, as words that follow the name of the field. */
export const faultOf = Symbol('fault of a value')

/** The largest id: the largest integer that every JSON parser reads exactly. */
export const maximumId = Number.MAX_SAFE_INTEGER

export interface IntegerOptions extends SchemaOptions {
  readonly minimum: number
  readonly maximum: number
  readonly format?: 'int32' | 'int64'
}

TypeRegistry.Set<IntegerOptions>('IntegerParameter', ({ minimum, maximum }, value) => {
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value) && +value >= minimum && +value <= maximum
})

/** A whole number in a query, in plain digits; handlers receive a number. */
export function integerParameter(options: IntegerOptions) {
  return Type.Unsafe<number>({ ...options, [Kind]: 'IntegerParameter', type: 'integer' })
}

TypeRegistry.Set('BooleanParameter', (_, value) => value === 'true' || value === 'false')

/** `true` or `false` in a query; handlers receive a boolean. */
export function booleanParameter(options: SchemaOptions) {
  return Type.Unsafe<boolean>({ ...options, [Kind]: 'BooleanParameter', type: 'boolean' })
}

interface EnumOptions extends SchemaOptions {
  readonly enum: readonly string[]
}

TypeRegistry.Set<EnumOptions>('StringEnum', (schema, value) => schema.enum.includes(value as string))

TypeRegistry.Set<{ readonly enum: readonly number[] } & SchemaOptions>('IntegerEnum', (schema, value) =>
  schema.enum.includes(value as number),
)

/** One of the given whole numbers, as a JSON Schema `enum`. */
export function integerEnum<const T extends number>(values: readonly T[], options: SchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, [Kind]: 'IntegerEnum', type: 'integer', enum: values })
}

/** Marks a parameter or member as beta in the OpenAPI document: it may still change. */
export function beta<T extends TSchema>(schema: T): T {
  return { ...schema, description: `**Beta.** ${schema.description}`, 'x-stability': 'beta' }
}

/** The id of a record in a query. */
export function idQuery(description: string) {
  return integerParameter({ format: 'int64', minimum: 1, maximum: maximumId, description, examples: [1] })
}

/** The number of the last days in a query. */
export function daysQuery() {
  return integerParameter({
    format: 'int32',
    minimum: 1,
    maximum: 366,
    default: 30,
    description: 'The number of days, including today.',
    examples: [30],
  })
}

/** The most ids in a list of ids. */
export const maximumIds = 100
const idList = new RegExp(`^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${maximumIds - 1}}$`)

TypeRegistry.Set(
  'IdList',
  (_, value) => typeof value === 'string' && idList.test(value) && value.split(',').every((id) => +id <= maximumId),
)

/** Ids separated by commas; handlers receive the text. */
export function idListQuery(description: string) {
  return Type.Unsafe<string>({
    [Kind]: 'IdList',
    [faultOf]: () => `must be 1 to ${maximumIds} ids separated by commas, such as 4,8,15`,
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 1, maximum: maximumId },
    minItems: 1,
    maxItems: maximumIds,
    description,
    examples: [[4, 8, 15]],
  })
}

/** One of the given strings, as a JSON Schema `enum`. */
export function stringEnum<const T extends string>(values: readonly T[], options: SchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, [Kind]: 'StringEnum', type: 'string', enum: values })
}

/** One of the given strings in a response. Later versions may add others, so it is not a closed `enum`. */
export function openEnum<const T extends string>(values: readonly T[], options: SchemaOptions) {
  const names = values.map((value) => `\`${value}\``).join(', ')
  const known = names.length > 300 ? 'The known values are in `x-extensible-enum`' : `Known are ${names}`
  return Type.Unsafe<T>({
    [Kind]: 'String',
    type: 'string',
    maxLength: 60,
    pattern: '^[A-Za-z][A-Za-z_:]*$',
    examples: [values[0]],
    ...options,
    description: `${options.description}\n\n${known}; later versions may add others.`,
    'x-extensible-enum': values,
  })
}

/** The order of a list in a query. */
export function orderQuery() {
  return stringEnum(['asc', 'desc'], {
    default: 'asc',
    description: 'The order by id: `asc` for the oldest first, `desc` for the newest first.',
    examples: ['desc'],
  })
}

/** An object whose undeclared members are ignored. */
export function openObject<T extends TProperties>(properties: T, options: SchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: true })
}

/**
 * The object in the body of a request. A member that does not exist is rejected. The members of `record`, the record
 * that the request creates or changes, that are not in `properties` are read-only: the server ignores them, so that a
 * record can be sent back as it was read.
 */
export function requestObject<T extends TProperties>(properties: T, options: SchemaOptions, record?: TObject) {
  const names = Object.keys(record?.properties ?? {}).filter((name) => !(name in properties))
  const ignored = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown(readOnly))]))
  // The handler does not receive the ignored members, so its type does not have them.
  return Type.Object<T>({ ...properties, ...ignored }, { ...options, additionalProperties: false })
}

const readOnly = { readOnly: true, description: 'Ignored in a request.' }

/** The id of a record in a body. */
export function idSchema(description: string) {
  return Type.Integer({ format: 'int64', minimum: 1, maximum: maximumId, description, examples: [1] })
}

/** A number of things or bytes in a body. */
export function countSchema(description: string, example = 7) {
  return Type.Integer({ format: 'int64', minimum: 0, maximum: maximumId, description, examples: [example] })
}

/** A number of things in a body that fits 32 bits. */
export function smallCountSchema(description: string, example: number) {
  return Type.Integer({ format: 'int32', minimum: 0, maximum: 2_147_483_647, description, examples: [example] })
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

/** Unix milliseconds as a time of the API; null stays null. */
export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** `schema` with other options. Its type stays that of `schema`, which a declaration can name. */
export function withOptions<T extends TSchema>(schema: T, options: SchemaOptions): T {
  return { ...schema, ...options }
}

/** The condition that none of `members` is sent. Code generators do not understand the schema `false`. */
export function without(...members: readonly string[]) {
  return { not: { anyOf: members.map((member) => ({ required: [member] })) } }
}

/** A value of `schema` or null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

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

/** The schemas of a name that people choose: `given` for requests, `stored` for responses. */
export function label(kind: string, maximum: number, description: string, example: string) {
  const options = { minLength: 1, pattern: labelPattern, examples: [example] }
  const rule = `1 to ${maximum} Unicode characters, at least one of them visible, no control characters, no lone surrogates. Stored in Unicode's canonical composition (NFC), in which it also has at most ${maximum} characters, without surrounding white space and invisible characters.`
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
    stored: Type.String({ ...options, maxLength: maximum, description }),
  }
}

/**
 * The schemas of a text of several lines, at most `lines` if given, which may be empty: `given` for requests, `stored`
 * for responses.
 */
export function freeText(kind: string, maximum: number, description: string, example: string, lines?: number) {
  const options = { pattern: lines === undefined ? textPattern : linesPattern(lines), examples: [example] }
  const most = lines === undefined ? '' : ` in ${lines} lines`
  const rule = `Up to ${maximum} Unicode characters${most}, no control characters except tabs and line breaks, no lone surrogates. Surrounding white space is removed; an empty text is stored as null.`
  TypeRegistry.Set(kind, (_, value) => typeof value === 'string' && textFault(value, maximum, lines) === undefined)
  return {
    given: Type.Unsafe<string>({
      ...options,
      [Kind]: kind,
      [faultOf]: (value: string) => textFault(value, maximum, lines),
      type: 'string',
      maxLength: maximum,
      description: `${description} ${rule}`,
    }),
    stored: Type.String({ ...options, maxLength: maximum, description }),
  }
}
