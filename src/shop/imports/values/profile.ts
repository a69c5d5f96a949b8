/**
 * Reads the members of a profile from the row of a file. A value that cannot be read is left out, and never costs the
 * animal.
 */

import { labelFault, storedLabel, storedText, textFault } from '../../../lib/text.ts'
import {
  type Attribute,
  isInFuture,
  maximumAttributes,
  maximumLengths,
  microchipPattern,
  repeatedLabel,
  type Sex,
  storedMicrochip,
} from '../../profiles/rules.ts'
import { type Fault, type Fields, isFault, shown } from '../file/rows.ts'
import { answerOf } from '../file/words.ts'
import { bornBefore, type DateOrder, orderOf, readDate, type UnclearDate } from './dates.ts'
import { createPriceReader } from './prices.ts'
import { readSex } from './sexes.ts'

/** The members that a row has. A date of birth is unclear until the whole file is read. */
export interface ImportedProfile {
  readonly number?: string
  readonly breed?: string
  readonly color?: string
  readonly sex?: Sex
  readonly birthDate?: string | UnclearDate
  readonly microchip?: string
  /** In the smallest unit of the store's currency. */
  readonly price?: number
  readonly description?: string
  readonly published?: boolean
  readonly attributes?: readonly Attribute[]
}
type Member = keyof ImportedProfile

/** Gets why a value is left out. */
type LeaveOut = (message: string) => void

/** A value; null if the text says that there is none. */
type Read<M extends Member> = NonNullable<ImportedProfile[M]> | null | Fault

export interface ProfileReaderOptions {
  /** The currency of the store. */
  readonly currency: string | null
  /** Unix milliseconds. */
  readonly nowMs: number
  /** The order of dates such as 03/04/2024; found in the file if it is undefined. */
  readonly dates: DateOrder | undefined
  /** Whether the date of birth may be an age. */
  readonly readsAges: boolean
}

const microchip = new RegExp(microchipPattern)

const label = (member: 'number' | 'breed' | 'color') => (text: string) => {
  const fault = labelFault(text, maximumLengths[member])
  return fault === undefined ? storedLabel(text) : { fault: `${member} ${fault}` }
}

export function createProfileReader({ currency, nowMs, dates, readsAges }: ProfileReaderOptions) {
  const readPrice = currency === null ? undefined : createPriceReader(currency)
  /** The orders that dates of the file have shown. */
  const orders = new Set<DateOrder>()

  const readers: { readonly [M in Member]: (text: string, fields: Fields) => Read<M> | undefined } = {
    number: label('number'),
    breed: label('breed'),
    color: label('color'),
    sex: readSex,
    birthDate(text, { day }) {
      const order = orderOf(text)
      if (order) orders.add(order)
      const born = readDate(text, nowMs) ?? (readsAges ? ageOf(text, day) : undefined)
      const isTooLate = typeof born === 'string' && isInFuture(born, nowMs)
      return isTooLate ? { fault: tooLate(text) } : born
    },
    microchip(text) {
      const plain = text.replaceAll('-', '')
      return microchip.test(plain) ? storedMicrochip(plain) : undefined
    },
    price(text) {
      if (!readPrice) return { fault: 'price needs a currency: set that of the store first' }
      return readPrice(text) ?? { fault: `price cannot be read in ${currency}: ${shown(text)}` }
    },
    description(text) {
      const fault = textFault(text, maximumLengths.description)
      return fault === undefined ? storedText(text) : { fault: `description ${fault}` }
    },
    published(text) {
      const answer = answerOf(text)
      return answer && answer === 'yes'
    },
    attributes: attributesOf,
  }

  /** An age is that of the day of its row, if the file has a column for that. */
  function ageOf(text: string, given: unknown): string | undefined {
    const date = typeof given === 'string' ? readDate(given, nowMs) : undefined
    const isDay = typeof date === 'string' && date.length === 10
    return bornBefore(text, isDay ? Date.parse(date) : nowMs)
  }

  return {
    /** The profile of a row. `others` are cells that become attributes. */
    read(fields: Fields, others: readonly Attribute[], leaveOut: LeaveOut): ImportedProfile {
      const profile: Partial<Record<Member, unknown>> = {}
      for (const member of Object.keys(readers) as Member[]) {
        const text = textOf(fields[member])
        if (text === '') continue
        const value: unknown = readers[member](text, fields)
        if (value === undefined) leaveOut(`${member} cannot be read: ${shown(text)}`)
        else if (isFault(value)) leaveOut(value.fault)
        else if (value !== null) profile[member] = value
      }
      const attributes = withOthers(profile as ImportedProfile, others, leaveOut)
      if (attributes.length > 0) profile.attributes = attributes
      return profile as ImportedProfile
    },
    /** The order of unclear dates: the one that was given, or the only one that the file has shown. */
    dateOrder: (): DateOrder | undefined => dates ?? (orders.size === 1 ? [...orders][0] : undefined),
  }
}

export type ProfileReader = ReturnType<typeof createProfileReader>

/** A profile whose date of birth is clear, or left out. */
export interface SettledProfile extends Omit<ImportedProfile, 'birthDate'> {
  readonly birthDate?: string
}

const unclearDate =
  'birthDate is unclear: choose with dates=dmy or dates=mdy whether the day or the month of such dates comes first'

export function settled(
  profile: ImportedProfile,
  order: DateOrder | undefined,
  nowMs: number,
  leaveOut: LeaveOut,
): SettledProfile {
  const { birthDate, ...others } = profile
  if (typeof birthDate !== 'object') return profile as SettledProfile
  const clear = order && birthDate[order]
  if (clear !== undefined && !isInFuture(clear, nowMs)) return { ...others, birthDate: clear }
  leaveOut(clear === undefined ? unclearDate : tooLate(clear))
  return others
}

const tooLate = (date: string): string => `birthDate is in the future: ${shown(date)}`

/** A cell, or a member of an object, as text; empty if it has no value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (value === undefined || value === null) return ''
  return JSON.stringify(value)
}

/** The attributes that an export has written. */
function attributesOf(text: string): Attribute[] | undefined {
  try {
    const given: unknown = JSON.parse(text)
    if (!Array.isArray(given) || given.length > maximumAttributes) return undefined
    const attributes = given.map(({ label, text }) => attributeOf(label, text))
    const valid = attributes.flatMap((attribute) => (isFault(attribute) ? [] : attribute))
    return valid.length === given.length && repeatedLabel(valid) === undefined ? valid : undefined
  } catch {
    return undefined
  }
}

function attributeOf(label: string, text: string): Attribute | Fault {
  const fault = labelFault(label, maximumLengths.label)
  if (fault !== undefined) return { fault: `the label of attribute ${shown(label)} ${fault}` }
  const textProblem = labelFault(text, maximumLengths.text)
  if (textProblem !== undefined) return { fault: `attribute ${shown(label)} ${textProblem}` }
  return { label: storedLabel(label), text: storedLabel(text) }
}

function withOthers(
  { attributes = [] }: ImportedProfile,
  others: readonly Attribute[],
  leaveOut: LeaveOut,
): Attribute[] {
  const all = [...attributes]
  for (const { label, text } of others) {
    if (text.trim() === '') continue
    const attribute = attributeOf(label, text)
    if (isFault(attribute)) leaveOut(attribute.fault)
    else if (all.length >= maximumAttributes) leaveOut(`an animal has at most ${maximumAttributes} attributes`)
    else if (repeatedLabel([...all, attribute]) === undefined) all.push(attribute)
  }
  return all
}
