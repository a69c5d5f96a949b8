/** Text in ASCII: letters of Latin, Greek and Cyrillic scripts as they are usually written where only ASCII is possible. */

import { latinLetters, replacementsOf } from '../../../lib/text.ts'

/** Pairs of a character and its replacement; characters that Unicode decomposes into a letter and marks are not among them. */
const pairs = [
  `ß ss ƒ f ə e ${latinLetters}`,
  // Greek
  'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o',
  // Cyrillic, without the marks of й, ё and ї
  'а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya',
  'є ye і i ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz',
  // Apostrophes
  "’ ' ‘ ' ʼ ' ′ '",
]

const replacements = replacementsOf(pairs.join(' '))

/** `text` in lower-case ASCII, without accents; a space stands for each character that has no counterpart. */
export function asciiOf(text: string): string {
  // Decomposition can give capital letters (ℌ), and lower case can give marks (İ).
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}|[ъь]/gu, '')
  return letters.replace(/\P{ASCII}/gu, (character) => replacements.get(character) ?? ' ')
}
