/**
 * The tokens by which any part of a name is found. A name is indexed by its parts of one, two and three characters, each
 * a token of an FTS5 index. A query selects the animals that have all parts of its text. The names of these candidates are
 * compared again, because a name can contain all parts without the whole text. https://sqlite.org/fts5.html
 */

import { foldedText } from '../../../lib/text.ts'
import type { PetStatus } from '../rules.ts'

/**
 * The number of consecutive ids in a block. FTS5 merges all rows of a token at once, and looks for the first row that has
 * several tokens from the lowest id on: neither takes long when no token has more rows than this.
 */
export const blockSize = 65_536

/** The number of characters of the longest part of a name that is a token. */
const longestPart = 3

/** The number of the block that an id belongs to. */
export const blockOf = (id: number): number => Math.floor(id / blockSize)

/** The tokens of an animal in its block, separated by spaces: the parts of its name, its status and its category. */
export function tokensOf(pet: {
  readonly id: number
  readonly name: string
  readonly status: PetStatus
  readonly categoryId: number
}): string {
  const start = ` ${inBlock(blockOf(pet.id), '')}`
  const characters = charactersOf(foldedText(pet.name))
  // The text is built in one pass, because half of the time of indexing was spent in here. Tokens may repeat.
  let text = start + statusToken(pet.status) + start + categoryToken(pet.categoryId)
  for (let first = 0; first < characters.length; first++) {
    let part = start
    for (const character of characters.slice(first, first + longestPart)) {
      part += character
      text += part
    }
  }
  return text
}

export interface SearchQuery {
  /** Part of a name, as the client sent it. */
  readonly q: string
  readonly status?: PetStatus | undefined
  readonly categoryId?: number | undefined
}

/** More parts would hardly narrow a search, and each costs a lookup. */
const maximumParts = 8

/** The tokens that every match has, or undefined if `q` folds to an empty text, which is part of any name. */
export function queryTokens({ q, status, categoryId }: SearchQuery): string[] | undefined {
  const folded = foldedText(q)
  if (folded === '') return undefined
  const parts = partsOf(charactersOf(folded))
  const stride = Math.ceil(parts.length / maximumParts)
  const tokens = parts.filter((_, i) => i % stride === 0)
  if (status !== undefined) tokens.push(statusToken(status))
  if (categoryId !== undefined) tokens.push(categoryToken(categoryId))
  return tokens
}

/** An FTS5 expression for the rows of a block that have all tokens. Tokens contain no quotes, so that FTS5 parses none as syntax. */
export function matchAll(block: number, tokens: readonly string[]): string {
  return tokens.map((token) => `"${inBlock(block, token)}"`).join(' AND ')
}

/** The different parts of the length of the longest part, or the whole text if it is shorter. */
function partsOf(characters: readonly string[]): string[] {
  const size = Math.min(characters.length, longestPart)
  const parts = new Set<string>()
  for (let end = size; end <= characters.length; end++) parts.add(characters.slice(end - size, end).join(''))
  return [...parts]
}

function charactersOf(folded: string): string[] {
  const characters: string[] = []
  for (const character of folded) characters.push(tokenCharacter(character))
  return characters
}

/**
 * Encodes a character of a name for a token. FTS5's ascii tokenizer splits at ASCII spaces and punctuation, which are
 * therefore encoded as U+E000 plus their code. Characters of a name in the range that is reserved for that, and for the
 * marks below, are encoded as an escape of fixed length. Different texts therefore have different tokens, and no token of a
 * name begins with a mark.
 */
function tokenCharacter(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x80) return isLetterOrDigit(code) ? character : String.fromCharCode(firstReserved + code)
  if (code < firstReserved || code > lastReserved) return character
  return escapeMark + code.toString(16)
}

const isLetterOrDigit = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)

const firstReserved = 0xe000
const lastReserved = 0xe1ff
const escapeMark = '\ue1ff'

const statusToken = (status: PetStatus) => `\ue100${status}`
const categoryToken = (categoryId: number) => `\ue101${categoryId}`
/** A token of the index is a token of an animal behind the number of its block. */
const inBlock = (block: number, token: string) => `${block}\ue102${token}`
