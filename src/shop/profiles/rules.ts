/** Rules for the members of a profile. */

import { foldedName } from '../categories/rules.ts'

/** The members that can be changed, in the order in which they are shown. */
export const profileMembers = [
  'number',
  'breed',
  'color',
  'sex',
  'birthDate',
  'microchip',
  'price',
  'description',
  'published',
  'attributes',
] as const

export const sexes = ['female', 'male'] as const
export type Sex = (typeof sexes)[number]

/** Code points of each text as it was sent. */
export const maximumLengths = { number: 40, breed: 100, color: 60, description: 5_000, label: 40, text: 200 } as const
export const maximumAttributes = 20
export const maximumPrice = 1_000_000_000_000

/** A fact about an animal under a label that the owner chooses. */
export interface Attribute {
  readonly label: string
  readonly text: string
}

/** A year, a month or a day, as a JSON Schema pattern. */
export const birthDatePattern = '^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$'

const birthDateExpression = new RegExp(birthDatePattern)

/** The rule that a date of birth breaks, as a phrase that follows the name of the member. */
export function birthDateFault(date: string): string | undefined {
  if (!birthDateExpression.test(date)) return 'must be a year, a month or a day, such as 2024, 2024-03 or 2024-03-14'
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  // For Date.UTC, 30 February is a day of March.
  const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
  return exists ? undefined : 'must be a day that exists'
}

/** No place on Earth is further ahead of UTC, in milliseconds. */
const furthestAheadMs = 14 * 3_600_000

/** Whether a date of birth is later than today, in every time zone. */
export function isInFuture(date: string, nowMs: number): boolean {
  return date > new Date(nowMs + furthestAheadMs).toISOString().slice(0, date.length)
}

/** Letters and digits with spaces between them, as a JSON Schema pattern. */
export const microchipPattern = '^ *([0-9A-Za-z] *){1,30}$'

/** A microchip number as it is stored. */
export function storedMicrochip(microchip: string): string {
  return microchip.replaceAll(' ', '')
}

/** A number for comparison: numbers that differ only in case are the same. */
export const foldedNumber = foldedName

/** The first label that occurs twice, ignoring case. */
export function repeatedLabel(attributes: readonly Attribute[]): string | undefined {
  const folded = attributes.map(({ label }) => foldedName(label))
  return attributes.find((_, i) => folded.indexOf(folded[i] ?? '') < i)?.label
}
