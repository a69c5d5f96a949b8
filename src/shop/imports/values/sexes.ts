/** Reads the sex of an animal in the words of people: `M`, `Neutered Male`, `weiblich`, `hembra`. */

import { foldedText } from '../../../lib/text.ts'
import type { Sex } from '../../profiles/rules.ts'

/** In English, German, French, Spanish, Italian, Polish, Dutch, Czech, Russian and Turkish, without accents. */
const words: Readonly<Record<Sex | 'unknown', string>> = {
  female: `f fem female fs sf w weibl weiblich weibchen hundin katze kazin stute femelle femmina h hembra samica suka kotka
    v vrouw vrouwelijk vrouwtje teef poes voedster samice fena zenska girl mare doe cow heifer ewe queen bitch hen ж жен
    женский самка сука disi`,
  male: `m male mn nm cm mc mannl maennl mannlich maennlich mannchen rude kater wallach hengst male macho maschio samiec kocur
    man mannelijk mannetje reu samec muz boy buck bull steer ram wether stallion gelding tomcat rooster м муж мужской
    самец кобель erkek`,
  unknown: `u unk unknown undetermined unbekannt unb inconnu inconnue desconocido sconosciuto nieznana nieznany onbekend
    unsexed not sexed n/a ? - x`,
}

const meanings = new Map(
  Object.entries(words).flatMap(([sex, list]) => list.split(/\s+/).map((word) => [word, sex as Sex | 'unknown'])),
)

/**
 * Words that say a sex only alone: those of shelters for what was done to an animal, and those for its kind, which is a
 * male one in a column of sexes.
 */
const alone: Readonly<Record<string, Sex>> = {
  spayed: 'female',
  s: 'female',
  neutered: 'male',
  n: 'male',
  dog: 'male',
  pies: 'male',
  r: 'male',
}

/** The sex; null if the text says that it is unknown, undefined if it cannot be read. */
export function readSex(text: string): Sex | null | undefined {
  const given = foldedText(text)
    .split(/[\s/,;().]+/)
    .filter((word) => word !== '')
  const found = new Set(given.flatMap((word) => meanings.get(word) ?? []))
  if (found.has('female') && found.has('male')) return undefined
  if (found.has('female')) return 'female'
  if (found.has('male')) return 'male'
  if (found.has('unknown')) return null
  return given.length === 1 ? alone[given[0] ?? ''] : undefined
}
