/** Maps the words of a file to those of the store: those that its owner gives, and those that most lists have. */

import { AppError } from '../../../lib/error.ts'
import { foldedText } from '../../../lib/text.ts'
import { storedName } from '../../categories/rules.ts'
import { type PetStatus, petStatuses } from '../../pets/rules.ts'

/** What each word, which is folded, stands for. Rows with a word that stands for null are left out. */
export type Words<T extends string = string> = ReadonlyMap<string, T | null>
export type Statuses = Words<PetStatus>

/** In a mapping, every word that has none. */
export const anyWord = '*'

/** Words are equal if they differ only in case or in surrounding space. */
export const foldedWord = (word: string): string => word.trim().normalize('NFC').toLowerCase()

/**
 * Parses mappings such as `Adopted=sold,Returned=available,Died=`; the rows of a word without a status are left out, and
 * `*` stands for every other word. Throws `invalid_parameter` with the first invalid mapping.
 */
export function parseStatuses(mappings: readonly string[]): Statuses {
  return parseWords(mappings, {
    parameter: 'statuses',
    example: 'Adopted=sold,Returned=available,Died=',
    rule: `a word of the file with one of ${petStatuses.map((name) => `=${name}`).join(', ')}`,
    meaningOf: (given) => petStatuses.find((name) => name === foldedWord(given)),
  })
}

/** Parses mappings such as `Kitten=Cat,Unknown=` to the names of categories, like `parseStatuses`. */
export function parseCategories(mappings: readonly string[]): Words {
  return parseWords(mappings, {
    parameter: 'categories',
    example: 'Kitten=Cat,Puppy=Dog,Unknown=',
    rule: 'a word of the file with the name of a category, such as Kitten=Cat',
    meaningOf: (given) => storedName(given),
  })
}

interface WordRules<T> {
  readonly parameter: string
  readonly example: string
  readonly rule: string
  /** Undefined if the text is no meaning. */
  readonly meaningOf: (given: string) => T | undefined
}

function parseWords<T extends string>(
  mappings: readonly string[],
  { parameter, example, rule, meaningOf }: WordRules<T>,
): Words<T> {
  const invalid = (message: string) =>
    new AppError('invalid_parameter', `${parameter}: ${message} An example: ${example}.`)
  const words = new Map<string, T | null>()
  for (const mapping of mappings.flatMap(splitMappings)) {
    const at = mapping.lastIndexOf('=')
    const word = foldedWord(mapping.slice(0, Math.max(at, 0)))
    const given = mapping.slice(at + 1).trim()
    const meaning = given === '' ? null : meaningOf(given)
    if (word === '' || at === -1 || meaning === undefined) throw invalid(`"${mapping.trim()}" must be ${rule}.`)
    if (words.has(word) && words.get(word) !== meaning) throw invalid(`"${word}" is mapped twice.`)
    words.set(word, meaning)
  }
  return words
}

/** A comma is part of a word if no mapping ends before it. */
function splitMappings(given: string): string[] {
  const mappings: string[] = []
  let word = ''
  for (const part of given.split(',')) {
    word = word === '' ? part : `${word},${part}`
    if (!part.includes('=')) continue
    mappings.push(word)
    word = ''
  }
  return word.trim() === '' ? mappings : [...mappings, word]
}

/** Cells in which programs write that there is no value. */
const nullWord = /^\s*(?:NA|n\/a|N\/A|#N\/A|NULL|null|-|–|—)\s*$/

/** Whether a cell has no value. A name such as Na is one. */
export function isEmptyCell(cell: string): boolean {
  return cell === '' || (cell.length < 8 && nullWord.test(cell))
}

/** A word for comparison with the tables below. */
const plain = (word: string): string =>
  foldedText(word)
    .replace(/[\s_./-]+/g, ' ')
    .replace(/[!*:]+/g, '')
    .trim()

/** Words for a status in English, German, French, Spanish, Italian, Polish and Dutch, without accents. */
const knownWords: Readonly<Record<PetStatus | 'dead', string>> = {
  available: `available|active|in stock|for sale|for adoption|up for adoption|available for adoption|available in foster|adoptable
    |looking for a home
    |verfugbar|vorhanden|auf lager|lieferbar|zu verkaufen|zu vermitteln|zur vermittlung|zu vergeben|sucht (?:ein )?zuhause|abzugeben
    |disponibles?|en stock|en vente|a vendre|a adopter|a l'adoption|en venta|a la venta|en adopcion
    |disponibil[ei]|in vendita|in adozione|adottabile|dostepn[yae]|na sprzedaz|do sprzedania|do adopcji|do oddania
    |beschikbaar|te koop|op voorraad|voorradig|ter adoptie|adoptabel`,
  pending: `pending|reserved|hold|hold .*|.* hold|under offer|(?:adoption|sale|application) pending|pending (?:adoption|sale|pickup)
    |reserviert|vorgemerkt|in vermittlung|reservee?s?|sous option|en option|reservad[oa]s?|apartad[oa]|en tramite
    |riservat[oa]|prenotat[oa]|opzionat[oa]|in trattativa|zarezerwowan[yae]|rezerwacja|gereserveerd|in optie|onder optie`,
  sold: `sold|sold out|out of stock|rehomed|adopted|adopted .*|adoption|adoption completed|adopted out|reclaimed?|claimed
    |redemption.*|redeemed|return(?:ed)? to (?:owner|guardian|habitat|field)|rto|tnr|transfer|transferred|transfer(?:red)? out
    |rescue|rescued|released to rescue|released|relocated?
    |(?:schon |bereits )?(?:verkauft|vermittelt|vergeben|abgegeben)|ausverkauft|zuruck an besitzer
    |vendue?s?|adoptee?s?|epuisee?|rupture de stock|en rupture|restituee?|rendue? au proprietaire
    |vendid[oa]s?|adoptad[oa]s?|agotad[oa]|entregad[oa]|devuelt[oa] al dueno
    |vendut[oa]|adottat[oa]|esaurit[oa]|restituit[oa]|sprzedan[yae]|adoptowan[yae]|zaadoptowan[yae]|wydan[yae]|wyprzedan[yae]
    |oddan[yae]|verkocht|geadopteerd|uitverkocht|herplaatst|geplaatst|terug naar eigenaar`,
  dead: `euthan.*|died|died .*|dead|dead on arrival|deceased|doa|doa .*|unassisted death.*|put to sleep|pts
    |cremat.*|interred|disposal|eingeschlafert|verstorben|gestorben|tot|decedee?|morte?|mort[oa]|fallecid[oa]|muert[oa]
    |eutanas.*|sacrificad[oa]|decedut[oa]|soppress[oa]|uspion[yae]|zmarl[yae]|padl[yae]|overleden|dood|ingeslapen`,
}

const expressions = Object.entries(knownWords).map(
  ([meaning, words]) => [meaning as PetStatus | 'dead', new RegExp(`^(?:${words.replace(/\s*\n\s*/g, '')})$`)] as const,
)

/**
 * The status that a word stands for in most lists. `dead` is for words of animals that died: they are recognised, and
 * whether these animals were sold or are left out is for the owner to say.
 */
export function knownStatus(word: string): PetStatus | 'dead' | undefined {
  const text = plain(word)
  return text === '' ? undefined : expressions.find(([, expression]) => expression.test(text))?.[0]
}

/** What `yes` means in a column with one of these names, which are without spaces and accents. */
const questions: readonly (readonly [PetStatus, RegExp])[] = [
  [
    'available',
    /^(?:is)?(?:available(?:forsale.*|foradoption)?|instock|forsale|adoptable|verfugbar|vorratig|auflager|lieferbar|zuverkaufen|disponible|enstock|envente|enventa|existencias|disponibile|invendita|dostepn[yae]|nastanie|nasprzedaz|beschikbaar|opvoorraad|tekoop)$/,
  ],
  [
    'pending',
    /^(?:is)?(?:reserved|onhold|reserviert|reservee?|reservad[oa]|riservat[oa]|zarezerwowan[yae]|gereserveerd)$/,
  ],
  [
    'sold',
    /^(?:is|was)?(?:sold|soldout|adopted|rehomed|verkauft|vermittelt|vendue?|adoptee?|vendid[oa]|adoptad[oa]|vendut[oa]|adottat[oa]|sprzedan[yae]|adoptowan[yae]|verkocht|geadopteerd)$/,
  ],
]

const yes = /^(?:y|yes|true|1|x|j|ja|o|oui|s|si|t|tak|wahr|prawda|vrai|vero|verdadero|waar)$/
const no = /^(?:n|no|false|0|nein|non|nie|nee|falsch|faux|falso|onwaar)$/

/** Whether a word is a yes or a no, in the languages of the words for a status. */
export function answerOf(word: string): 'yes' | 'no' | undefined {
  const text = plain(word)
  if (yes.test(text)) return 'yes'
  return no.test(text) ? 'no' : undefined
}

/** What `yes` stands for in a column that asks for a status, such as Adopted; undefined for other columns. */
export function askedStatus(columnName: string): PetStatus | undefined {
  const name = collapsedName(columnName)
  return questions.find(([, expression]) => expression.test(name))?.[0]
}

/** The letters and digits of a column's name, without case and accents: `Animal's name` is `animalsname`, # is `no`. */
export const collapsedName = (name: string): string =>
  foldedText(name)
    .replaceAll('#', 'no')
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** The status of a word in a column with a name: what its owner says, one of the store, or one that most lists have. */
export function statusOf(word: string, columnName: string, given: Statuses): PetStatus | null | undefined {
  const folded = foldedWord(word)
  const mapped = given.get(folded)
  if (mapped !== undefined) return mapped
  const known = knownStatus(word)
  if (known !== undefined && known !== 'dead') return known
  const asked = askedStatus(columnName)
  const answer = asked && answerOf(word)
  if (answer === 'yes') return asked
  if (answer === 'no') return asked === 'available' ? 'sold' : 'available'
  return given.get(anyWord)
}
