/** The fields of the form of an animal, and what the API gets of them. */

import type { Schemas } from '../../api/client.ts'
import { today } from '../../ui/input.ts'
import { animalNameProblem } from '../fields.tsx'
import type { PetStatus } from '../filters.ts'
import { moneyText, parseMoney, priceProblem } from '../money.ts'

export type Profile = Schemas['Profile']
type ProfileChange = Schemas['ProfileChange']
type PetChange = Schemas['PetChange']

/** An empty text is unknown. */
export interface Draft {
  readonly name: string
  readonly categoryId: number
  readonly status: PetStatus
  readonly number: string
  readonly price: string
  readonly published: boolean
  readonly description: string
  readonly breed: string
  readonly color: string
  readonly sex: '' | 'female' | 'male'
  readonly birthDate: string
  readonly microchip: string
  readonly attributes: readonly Attribute[]
}

interface Attribute {
  readonly label: string
  readonly text: string
}

/** The names of the fields, as they are shown. */
export const labels: Readonly<Record<keyof Draft, string>> = {
  name: 'Name',
  categoryId: 'Category',
  status: 'Status',
  number: 'Number',
  price: 'Price',
  published: 'Shown to the public',
  description: 'Description',
  breed: 'Breed',
  color: 'Color',
  sex: 'Sex',
  birthDate: 'Born',
  microchip: 'Microchip',
  attributes: 'Other facts',
}

export const longest = { number: 40, breed: 100, color: 60, description: 5_000, label: 40, text: 200 } as const
export const mostAttributes = 20

export function draftOf(profile: Profile): Draft {
  const { pet, price, currency } = profile
  return {
    name: pet.name,
    categoryId: pet.categoryId,
    status: pet.status,
    number: profile.number ?? '',
    price: price === null || currency === null ? '' : moneyText(price, currency),
    published: profile.published,
    description: profile.description ?? '',
    breed: profile.breed ?? '',
    color: profile.color ?? '',
    sex: profile.sex ?? '',
    birthDate: profile.birthDate ?? '',
    microchip: profile.microchip ?? '',
    attributes: profile.attributes,
  }
}

type Texts = Readonly<Partial<Record<keyof Draft, string | undefined>>>

/** The problems of the fields, in words. `currency` is that of the price. */
export function problemsOf(draft: Draft, currency: string): Texts {
  const tooLong = (member: 'number' | 'breed' | 'color' | 'description') =>
    [...draft[member].trim()].length > longest[member] ? `Use at most ${longest[member]} letters.` : undefined
  return {
    name: animalNameProblem(draft.name),
    number: tooLong('number'),
    price: priceProblem(draft.price, currency),
    description: tooLong('description'),
    breed: tooLong('breed'),
    color: tooLong('color'),
    birthDate: birthDateProblem(draft.birthDate),
    microchip: /^[0-9a-z]{0,30}$/i.test(draft.microchip.replaceAll(' ', ''))
      ? undefined
      : 'Use at most 30 digits and letters.',
    attributes: attributesProblem(filledOf(draft.attributes)),
  }
}

function birthDateProblem(typed: string): string | undefined {
  if (typed.trim() === '') return undefined
  const date = isoDate(typed)
  if (date === undefined) return 'Write a day, a month or a year, as 2024-03-14, 2024-03 or 2024.'
  return date > today().slice(0, date.length) ? 'This is in the future.' : undefined
}

/** A year, month or day as the API has it: `2024-3`, `14.03.2024`. Undefined for what is no date. */
function isoDate(typed: string): string | undefined {
  const text = typed.trim()
  const parts = text.includes('.') ? text.split('.').reverse() : text.split('-')
  const [year = '', month = '1', day = '1'] = parts
  if (parts.length > 3 || !/^\d{4}$/.test(year) || !parts.slice(1).every((part) => /^\d{1,2}$/.test(part)))
    return undefined
  const time = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (time.getUTCMonth() !== Number(month) - 1 || time.getUTCDate() !== Number(day)) return undefined
  return parts.map((part) => part.padStart(2, '0')).join('-')
}

const filledOf = (attributes: readonly Attribute[]): readonly Attribute[] =>
  attributes
    .map(({ label, text }) => ({ label: label.trim(), text: text.trim() }))
    .filter(({ label, text }) => label !== '' || text !== '')

function attributesProblem(attributes: readonly Attribute[]): string | undefined {
  const names = attributes.map(({ label }) => label.toLowerCase())
  const repeated = attributes.find((_, index) => names.indexOf(names[index] ?? '') < index)
  if (attributes.some(({ label, text }) => label === '' || text === '')) return 'Each fact needs a name and a text.'
  if (repeated !== undefined) return `“${repeated.label}” occurs twice. Each fact needs its own name.`
  const isTooLong = ({ label, text }: Attribute) => [...label].length > longest.label || [...text].length > longest.text
  return attributes.some(isTooLong)
    ? `Use at most ${longest.label} letters for a name, and ${longest.text} for a text.`
    : undefined
}

/** The changed members, for the two requests. A request without members is undefined. */
export function changesOf(draft: Partial<Draft>, currency: string) {
  const { name, categoryId, status, price, sex, published, birthDate, attributes, ...texts } = draft
  const pet = given<PetChange>({ name: name?.trim(), categoryId, status })
  const profile = given<ProfileChange>({
    ...Object.fromEntries(Object.entries(texts).map(([member, text]) => [member, text.trim() === '' ? null : text])),
    price: price === undefined ? undefined : (parseMoney(price, currency) ?? null),
    sex: sex === undefined ? undefined : sex || null,
    birthDate: birthDate === undefined ? undefined : (isoDate(birthDate) ?? null),
    published,
    attributes: attributes && [...filledOf(attributes)],
  })
  return { pet, profile }
}

function given<T extends object>(members: { readonly [M in keyof T]?: T[M] | undefined }): T | undefined {
  const known = Object.entries(members).filter(([, value]) => value !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as T)
}
