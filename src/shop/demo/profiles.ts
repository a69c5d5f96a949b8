/** The profiles of the animals of the demo store: different ones, and the same in every store. */

import type { ProfileChange } from '../profiles/schemas.ts'
import { type Look, looks, type Species } from './pictures.ts'

interface Traits {
  /** Cents: the lowest, the highest, and what each is a multiple of. */
  readonly prices: readonly [lowest: number, highest: number, step: number]
  readonly oldest: number
  readonly hasMicrochip?: boolean
  /** What follows the name. */
  readonly descriptions: readonly string[]
  readonly facts: readonly (readonly [label: string, text: string])[]
}

const traits: Readonly<Record<Species, Traits>> = {
  Dog: {
    prices: [15_000, 60_000, 500],
    oldest: 10,
    hasMicrochip: true,
    descriptions: [
      'loves long walks, and knows *sit* and *stay*.',
      'likes other dogs and travels well by car.',
      'is calm, house-trained, and happy with an hour outside each day.',
      'needs somebody with time: **two long walks a day**, and a garden if possible.',
    ],
    facts: [
      ['Vaccinated', 'Rabies, distemper'],
      ['Good with', 'Children, other dogs'],
    ],
  },
  Cat: {
    prices: [8_000, 25_000, 500],
    oldest: 12,
    hasMicrochip: true,
    descriptions: [
      'likes a window sill in the sun, and children who are gentle.',
      'is playful, neutered, and used to a dog in the house.',
      'needs a quiet home, and sleeps on every keyboard.',
    ],
    facts: [
      ['Vaccinated', 'Rabies, cat flu'],
      ['Lives', 'Indoors'],
    ],
  },
  Rabbit: {
    prices: [2_500, 7_500, 250],
    oldest: 6,
    descriptions: ['lives in a pair and needs room to run.', 'is tame and eats from the hand.'],
    facts: [['Food', 'Hay, herbs, vegetables']],
  },
  'Small animal': {
    prices: [900, 3_900, 100],
    oldest: 3,
    descriptions: ['is awake in the evening and likes to dig.', 'is used to hands, and needs company of its kind.'],
    facts: [['Food', 'Seeds, fresh vegetables']],
  },
  Bird: {
    prices: [1_900, 9_900, 500],
    oldest: 6,
    descriptions: ['sings in the morning and comes to the finger.', 'needs a large aviary and a companion.'],
    facts: [['Food', 'Seeds, fruit']],
  },
  Fish: {
    prices: [390, 1_990, 100],
    oldest: 2,
    descriptions: ['needs an aquarium of at least 100 litres.'],
    facts: [['Water', '20 to 24 °C']],
  },
  Reptile: {
    prices: [4_900, 14_900, 500],
    oldest: 15,
    descriptions: ['needs a terrarium with a warm lamp, and eats greens.'],
    facts: [['Papers', 'Certificate of origin']],
  },
}

const dayMs = 86_400_000
const youngestDays = 60

/**
 * What is known of an animal, how it looks, and the most photos that it has; `place` is that of the animal in the store,
 * from 0.
 */
export function demoProfile(
  species: Species,
  name: string,
  place: number,
  nowMs: number,
): { readonly look: Look; readonly profile: ProfileChange; readonly photos: number } {
  // Multiples of an irrational number are spread evenly between 0 and 1.
  const share = (prime: number) => ((place + 1) * Math.sqrt(prime)) % 1
  const one = <T>(list: readonly [T, ...T[]] | readonly T[], prime: number) =>
    list[Math.floor(share(prime) * list.length)] as T
  const { prices, oldest, hasMicrochip = false, descriptions, facts } = traits[species]
  const [lowest, highest, step] = prices
  const look = one(looks[species], 2)
  const bornMs = nowMs - dayMs * (youngestDays + Math.floor(share(7) ** 2 * oldest * 365))
  // Some lack a part of their profile, as in a real store.
  const lacks = (prime: number, part: number) => share(prime) < part
  return {
    look,
    photos: lacks(29, 0.08) ? 0 : lacks(41, 0.5) ? 1 : 2,
    profile: {
      number: `A-${1_001 + place}`,
      breed: one(look.breeds, 3),
      color: look.color,
      sex: share(5) < 0.5 ? 'male' : 'female',
      birthDate: new Date(bornMs).toISOString().slice(0, one([10, 10, 7, 4], 11)),
      microchip: hasMicrochip ? `2760981${String(Math.floor(share(13) * 1e8)).padStart(8, '0')}` : null,
      price: lacks(17, 0.06) ? null : lowest + step * Math.round((share(19) * (highest - lowest)) / step),
      description: lacks(23, 0.1) ? null : `${name} ${one(descriptions, 31)}`,
      attributes: facts.map(([label, text]) => ({ label, text })),
      published: !lacks(37, 0.04),
    },
  }
}
