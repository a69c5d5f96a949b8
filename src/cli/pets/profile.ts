/** `petstore pets show` and `pets set`: the profile of an animal. */

import { UsageError } from '../../config/values.ts'
import { decimalsOf, decimalText } from '../../lib/currency.ts'
import { AppError } from '../../lib/error.ts'
import { foldedName } from '../../shop/categories/rules.ts'
import { type Attribute, maximumAttributes, profileMembers } from '../../shop/profiles/rules.ts'
import type { Profile } from '../../shop/profiles/schemas.ts'
import type { StoreSettings } from '../../shop/settings/schemas.ts'
import { assignedTexts, idOf } from '../arguments.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint } from '../client/client.ts'
import { onStore } from '../client/local.ts'
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

const attributePrefix = 'attributes.'

/** The members that `pets set` changes. */
const members = profileMembers.map((member) => (member === 'attributes' ? `${attributePrefix}LABEL` : member))

export const petsSet: Command = {
  name: 'pets set',
  summary: 'change the profile of an animal',
  details:
    'A price is a decimal number in the store\'s currency, such as 49.90. An empty value, as in breed=, removes the one that is stored. attributes.LABEL is any other fact, such as attributes.Weight="4 kg". The other members stay as they are.',
  operands: 'ID MEMBER=VALUE …',
  arity: [2, members.length + maximumAttributes],
  completes: members.map((member) => (member.startsWith(attributePrefix) ? attributePrefix : `${member}=`)),
  changesStore: true,
  examples: [
    'pets set 42 price=49.90 breed="Maine Coon"',
    'pets set 42 published=false number=',
    'pets set 42 attributes.Weight="4 kg"',
  ],
  run: (invocation: Invocation) => {
    const [given, ...assignments] = invocation.positionals
    const path = `/pets/${idOf('ID', given)}/profile`
    const texts = assignedTexts(assignments, members)
    return callAndPrint(invocation, async (client) => {
      const change: Record<string, unknown> = {}
      const facts: Attribute[] = []
      for (const [name, text] of texts) {
        if (name.startsWith(attributePrefix)) facts.push({ label: name.slice(attributePrefix.length), text })
        else if (name === 'published') change[name] = flagOf(text)
        else if (name === 'price' && text !== '') change[name] = await smallestUnits(invocation, client, text)
        else change[name] = text === '' ? null : text
      }
      if (facts.length > 0) {
        const { attributes } = await client.call<Profile>('GET', path)
        change['attributes'] = withFacts(attributes, facts)
      }
      return shown(await client.call<Profile>('PATCH', path, change))
    })
  },
}

/** The attributes with other texts, which an empty text removes. A new label is the last. */
function withFacts(attributes: readonly Attribute[], facts: readonly Attribute[]): Attribute[] {
  const byLabel = new Map(attributes.map((attribute) => [foldedName(attribute.label), attribute]))
  for (const fact of facts) {
    const key = foldedName(fact.label)
    if (fact.text === '') byLabel.delete(key)
    else byLabel.set(key, fact)
  }
  return [...byLabel.values()]
}

function flagOf(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`published must be true or false, not "${text}".`)
}

/** A price such as 49.90 in the smallest unit of the store's currency. Throws `conflict` if it has none. */
async function smallestUnits(invocation: Invocation, client: Client, text: string): Promise<number> {
  const { currency } = await client.call<StoreSettings>('GET', '/store/settings')
  if (currency === null) {
    const command = onStore(invocation, 'petstore settings set currency=EUR')
    throw new AppError('conflict', `A price needs a currency: set that of the store first, such as with ${command}`)
  }
  const decimals = decimalsOf(currency)
  const [, whole, fraction = ''] = /^(\d{1,13})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || fraction.length > decimals) {
    const form = decimals === 0 ? 'a whole number' : `a number with at most ${decimals} decimals, such as 49.90`
    throw new UsageError(`price must be ${form}, not "${text}".`)
  }
  return Number(whole + fraction.padEnd(decimals, '0'))
}

/** A profile as JSON and as words. */
function shown(profile: Profile) {
  const { pet, price, currency, attributes, photos, published, updatedAt } = profile
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
    ['Price', price === null || currency === null ? null : `${decimalText(price, currency)} ${currency}`],
    ...attributes.map(({ label, text }) => [label, text] as const),
    ['Description', profile.description],
    ['Photos', photos.length === 0 ? null : String(photos.length)],
    ['Published', published ? 'yes' : 'no'],
    ['Updated', updatedAt === null ? null : localTime(updatedAt)],
  ]
  const known = pairs.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]))
  return { result: profile, words: formatPairs(known) }
}
