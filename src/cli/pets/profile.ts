/** `petstore pets show` and `pets set`: the profile of an animal. */

import { UsageError } from '../../config/values.ts'
import { nearest } from '../../lib/nearest.ts'
import type { Profile, ProfileChange } from '../../shop/profiles/schemas.ts'
import type { StoreSettings } from '../../shop/settings/schemas.ts'
import { idOf } from '../arguments.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint } from '../client/client.ts'
import type { Command, Invocation } from '../command.ts'
import { formatPairs, localTime } from '../terminal/output.ts'

export const petsShow: Command = {
  name: 'pets show',
  summary: 'print an animal with its profile',
  operands: 'ID',
  arity: [1, 1],
  examples: ['pets show 42', 'pets show 42 --json'],
  run: (invocation: Invocation) => {
    const id = idOf('ID', invocation.positionals[0])
    return callAndPrint(invocation, async (client) => shown(await client.call<Profile>('GET', `/pets/${id}/profile`)))
  },
}

/** The members that `pets set` changes. */
const members = [
  'number',
  'breed',
  'color',
  'sex',
  'birthDate',
  'microchip',
  'price',
  'description',
  'published',
] as const satisfies readonly (keyof ProfileChange)[]
type Member = (typeof members)[number]

export const petsSet: Command = {
  name: 'pets set',
  summary: 'change the profile of an animal',
  details:
    "A price is a decimal number in the store's currency, such as 49.90. An empty value, as in breed=, removes the one that is stored. The other members stay as they are.",
  operands: 'ID MEMBER=VALUE …',
  arity: [2, 1 + members.length],
  completes: members.map((member) => `${member}=`),
  changesStore: true,
  examples: ['pets set 42 price=49.90 breed="Maine Coon"', 'pets set 42 published=false number='],
  run: (invocation: Invocation) => {
    const [given, ...assignments] = invocation.positionals
    const id = idOf('ID', given)
    const texts = assignedTexts(assignments)
    return callAndPrint(invocation, async (client) => {
      const { price, published, ...others } = texts
      const change = {
        ...Object.fromEntries(Object.entries(others).map(([member, text]) => [member, text === '' ? null : text])),
        ...(price === undefined ? {} : { price: price === '' ? null : await smallestUnits(client, price) }),
        ...(published === undefined ? {} : { published: flagOf(published) }),
      }
      return shown(await client.call<Profile>('PATCH', `/pets/${id}/profile`, change))
    })
  },
}

/** The values by member. Throws a `UsageError` for anything but MEMBER=VALUE, and for a member that is given twice. */
function assignedTexts(assignments: readonly string[]): Partial<Record<Member, string>> {
  const texts: Partial<Record<Member, string>> = {}
  for (const assignment of assignments) {
    const [, name = assignment, text] = /^([^=]*)=(.*)$/s.exec(assignment) ?? []
    const member = members.find((one) => one === name)
    if (member === undefined) {
      const near = nearest(name, members)
      const advice = near === undefined ? `The members are ${members.join(', ')}.` : `Did you mean ${near}?`
      throw new UsageError(`There is no member "${name}" that can be set. ${advice}`)
    }
    if (text === undefined) throw new UsageError(`${name} needs a value: ${name}=VALUE.`)
    if (texts[member] !== undefined) throw new UsageError(`${name} must be given only once.`)
    texts[member] = text
  }
  return texts
}

function flagOf(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`published must be true or false, not "${text}".`)
}

/** The number of decimals of a currency. */
function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0
}

/** A price such as 49.90 in the smallest unit of the store's currency. The API rejects a price without a currency. */
async function smallestUnits(client: Client, text: string): Promise<number> {
  const { currency } = await client.call<StoreSettings>('GET', '/store/settings')
  const decimals = currency === null ? 0 : decimalsOf(currency)
  const [, whole, fraction = ''] = /^(\d{1,13})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || (currency !== null && fraction.length > decimals)) {
    const form = decimals === 0 ? 'a whole number' : `a number with at most ${decimals} decimals, such as 49.90`
    throw new UsageError(`price must be ${form}, not "${text}".`)
  }
  return Number(whole + fraction.padEnd(decimals, '0'))
}

/** A profile as JSON and as words. */
function shown(profile: Profile) {
  const { pet, price, currency, attributes, published, updatedAt } = profile
  const pairs: readonly (readonly [string, string | null])[] = [
    ['Animal', `${pet.id} ${pet.name}`],
    ['Status', pet.status],
    ['Category', String(pet.categoryId)],
    ['Number', profile.number],
    ['Breed', profile.breed],
    ['Color', profile.color],
    ['Sex', profile.sex],
    ['Born', profile.birthDate],
    ['Microchip', profile.microchip],
    ['Price', price === null || currency === null ? null : priceOf(price, currency)],
    ...attributes.map(({ label, text }) => [label, text] as const),
    ['Description', profile.description],
    ['Published', published ? 'yes' : 'no'],
    ['Updated', updatedAt === null ? null : localTime(updatedAt)],
  ]
  const known = pairs.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]))
  return { result: profile, words: formatPairs(known) }
}

/** A price in words, such as `49.90 EUR`, with the digits that it was entered with. */
function priceOf(price: number, currency: string): string {
  const decimals = decimalsOf(currency)
  const digits = String(price).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`} ${currency}`
}
