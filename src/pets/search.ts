/**
 * Finding names by any part of them. A name is indexed by its parts of one, two and three characters, each
 * a token of an FTS5 index; a query asks for its own parts, and what the index gives is then looked at
 * again, since a name can hold all parts without holding the whole. https://sqlite.org/fts5.html
 */

import type { PetStatus } from './rules.ts'

/** Text as it is compared: without case, accents, or the typist's choice of apostrophe. */
export function foldedText(text: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(text)
  if (isAscii) return text.toLowerCase()
  // Lower, upper, lower: one way alone leaves ß and SS, or σ and ς, apart.
  const folded = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase().normalize('NFKD')
  return folded.replace(/\p{M}/gu, '').replace(/[‘’ʼ′]/g, "'")
}

/** The tokens of an animal, separated by spaces: its name's parts, its status, its category. */
export function tokensOf(pet: {
  readonly name: string
  readonly status: PetStatus
  readonly categoryId: number
}): string {
  const tokens = partsOf(foldedText(pet.name), [1, 2, 3])
  tokens.add(statusToken(pet.status))
  tokens.add(categoryToken(pet.categoryId))
  return [...tokens].join(' ')
}

export interface SearchQuery {
  /** Part of a name, as the caller wrote it. */
  readonly q: string
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
}

/** More parts than this hardly narrow a search, and each costs a look-up. */
const askedParts = 8

/** The FTS5 expression that all matches fulfil, or undefined if `q` folds to nothing and so is part of any name. */
export function matchExpression({ q, status, categoryId }: SearchQuery): string | undefined {
  const folded = foldedText(q)
  const length = [...folded].length
  if (length === 0) return undefined
  const parts = [...partsOf(folded, [Math.min(length, 3)])]
  const stride = Math.ceil(parts.length / askedParts)
  const asked = parts.filter((_, i) => i % stride === 0)
  if (status !== undefined) asked.push(statusToken(status))
  if (categoryId !== undefined) asked.push(categoryToken(categoryId))
  // Nothing of the input is left to be read as FTS5 syntax: tokens hold no quotes.
  return asked.map((token) => `"${token}"`).join(' AND ')
}

function partsOf(folded: string, sizes: readonly number[]): Set<string> {
  const characters = Array.from(folded, tokenCharacter)
  const parts = new Set<string>()
  for (const size of sizes) {
    for (let i = 0; i + size <= characters.length; i++) parts.add(characters.slice(i, i + size).join(''))
  }
  return parts
}

/** FTS5's ascii tokenizer splits at ASCII's spaces and punctuation: here they stand as private characters. */
function tokenCharacter(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x80 && !/[0-9a-z]/.test(character) ? String.fromCharCode(0xe000 + code) : character
}

// Beyond what a name's character can become.
const statusToken = (status: PetStatus) => `\ue100${status}`
const categoryToken = (categoryId: number) => `\ue101${categoryId}`
