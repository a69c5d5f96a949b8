/**
 * Guesses the encoding of text that is neither UTF-8 nor UTF-16, as older spreadsheets write it. Lists of animals are
 * short and mostly ASCII, so the guess is made from the letters beyond ASCII alone, and from what stands beside them.
 */

/** The encodings of files that can be read, by their names in the Encoding Standard, and what people call them. */
export const encodingLabels = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'windows-1253': 'Windows-1253',
  'windows-1254': 'Windows-1254',
  'windows-1257': 'Windows-1257',
  'iso-8859-2': 'ISO-8859-2',
  macintosh: 'Mac Roman',
} as const
export type Encoding = keyof typeof encodingLabels
export const encodings = Object.keys(encodingLabels) as readonly Encoding[]

/** How a file is read. */
export interface FoundEncoding {
  readonly name: Encoding
  /** Whether it was guessed from letters, so that the user should see its name. */
  readonly isGuessed: boolean
  /**
   * The encodings in which the text makes about as much sense, with a word in each; the one that was used is the first.
   * If there are any, the user has to choose.
   */
  readonly candidates: readonly Candidate[]
}

export interface Candidate {
  readonly name: Encoding
  readonly example: string
}

/** The letters beyond ASCII of languages that share an encoding, those of each language by frequency. */
const western = ['üäöß', 'éèàêçôâîûïëùœ', 'óíáñéúü', 'ãçáéóíêõâúàô', 'àèùòìé', 'ëéïöüè', 'øåæé', 'äåöé', 'áíðöþéúóýæ']
const central = ['łąęóżśćńź', 'íáéěřžščýůúňťďó', 'áíčéýžšľúťňôäóďĺŕ', 'áéöóőüíűú', 'ăţşîâ', 'čšžćđ', 'üäöß']
const cyrillic = [
  'оеаинтсрвлкмдпуяызьбгчйхжшюцщэфъё',
  'оаинвіертсклуйдмпьязгбчхжщїцєшюґф',
  'аоиенрсјтудкмвплбгзчњшцжћљхђфџ',
]
const greek = ['αοιετσνηυρπκμλςάίόέωδγχθφήβύώξζψϊϋ']
const turkish = ['ışğüçöİâî']
const baltic = ['ėšžųūįąčę', 'āīēūšžņļķģč', 'äõüöšž']

/** How often an encoding is met, beside the languages that are written in it. */
const guesses: readonly (readonly [name: Encoding, frequency: number, languages: readonly string[]])[] = [
  ['windows-1252', 1, western],
  ['windows-1250', 0.5, central],
  ['windows-1251', 0.5, cyrillic],
  ['windows-1253', 0.3, greek],
  ['windows-1254', 0.3, turkish],
  ['windows-1257', 0.05, baltic],
  ['macintosh', 0.1, western],
  ['iso-8859-2', 0.05, central],
]

/** The most different words that are compared, and the longest, in bytes. */
const maximumWords = 2_000
const maximumWordLength = 60

/** An encoding whose text is this many times less likely is none that the user has to be asked about. */
const clearly = Math.log(20)

/** A text whose letters are less likely than this on average makes sense in no encoding. */
const senseless = Math.log(0.015)

/** Collects the words of a file that have letters beyond ASCII. Memory is bounded. */
export function createEncodingGuess() {
  /** Each character is the byte of its number. */
  const words = new Set<string>()
  return {
    /** Takes the words of a part of the file. */
    see(bytes: Buffer): void {
      for (const [word] of bytes.toString('latin1').matchAll(/[^\n\r]?[a-z]*[\x80-\xff][a-z\x80-\xff]*[^\n\r]?/gi)) {
        if (words.size >= maximumWords) return
        if (word.length <= maximumWordLength) words.add(word)
      }
    },
    /** The likeliest encoding of the words until now. */
    best: (): Encoding => readingsOf([...words])[0]?.name ?? 'windows-1252',
    /** How well the encoding that was used fits all words. */
    found: (used: Encoding): FoundEncoding => ({
      name: used,
      isGuessed: true,
      candidates: candidatesOf([...words], used),
    }),
  }
}

interface Reading {
  readonly name: Encoding
  readonly text: string
  /** The logarithm of how likely it is. */
  readonly score: number
}

/** The possible readings of words, the likeliest first. */
function readingsOf(words: readonly string[]): Reading[] {
  const bytes = Buffer.from(words.join('\n'), 'latin1')
  return guesses
    .flatMap(([name, frequency, languages]) => {
      const text = decoded(bytes, name)
      return text === undefined ? [] : [{ name, text, score: Math.log(frequency) + scoreOf(text, languages) }]
    })
    .sort((a, b) => b.score - a.score)
}

function candidatesOf(words: readonly string[], name: Encoding): Candidate[] {
  const readings = readingsOf(words)
  const used = readings.find((reading) => reading.name === name)
  const [best] = readings
  if (!used || !best) return []
  const makesSense = best.score > words.join('').replace(/[^\u0080-\uffff]+/g, '').length * senseless
  // Several encodings may give the same text.
  const others = readings.filter(
    ({ text, score }) => text !== used.text && (!makesSense || score > best.score - clearly),
  )
  if (others.length === 0) return []
  const parts = [used, ...others].map((reading) => ({ ...reading, words: reading.text.split('\n') }))
  const at = Math.max(
    0,
    words.findIndex((_, i) => new Set(parts.map((part) => part.words[i])).size > 1),
  )
  return parts.map((part) => ({ name: part.name, example: trimmed(part.words[at] ?? '') }))
}

/** Without what stands beside the letters. */
const trimmed = (word: string): string => word.replace(/^[\s!-@]|[\s!-@]$/g, '')

/** In words: `Windows-1250 ("Łatek") or Windows-1252 ("£atek")`. */
export function describeCandidates(candidates: readonly Candidate[]): string {
  const readings = candidates.map(({ name, example }) => `${encodingLabels[name]} ("${example}")`)
  return [readings.slice(0, -1).join(', '), ...readings.slice(-1)].join(' or ')
}

/** Undefined if a byte has no character. */
function decoded(bytes: Buffer, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The logarithm of how likely a text is in the likeliest one of some languages. */
function scoreOf(text: string, languages: readonly string[]): number {
  const frequencies = languages.map(frequenciesOf)
  const scores = frequencies.map(() => 0)
  for (const { 0: letter, index } of text.matchAll(/[\u0080-\uffff]/g)) {
    const place = placeFactor(letter, text[index - 1] ?? '', text[index + 1] ?? '')
    const all = frequencies.map((of) => of.get(letter) ?? of.get(letter.toLowerCase()) ?? 0)
    // Lists have names of other countries, too.
    const average = all.reduce((sum, frequency) => sum + frequency, 0) / all.length
    for (const [i, own] of all.entries()) {
      const likely = /\p{L}/u.test(letter) ? Math.max(0.9 * own + 0.1 * average, 0.0005) : 0.02
      scores[i] = (scores[i] ?? 0) + Math.log(likely * place)
    }
  }
  return Math.max(...scores)
}

/** The first letter of a language is twice as frequent as the second one, and so on. */
function frequenciesOf(letters: string): ReadonlyMap<string, number> {
  const weights = [...letters].map((letter, i) => [letter, 1 / (i + 2)] as const)
  const sum = weights.reduce((total, [, weight]) => total + weight, 0)
  return new Map(weights.map(([letter, weight]) => [letter, weight / sum]))
}

const isUpper = (character: string) => /\p{Lu}/u.test(character)
const isLower = (character: string) => /\p{Ll}/u.test(character)
const isOfOtherScript = (character: string) => /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(character)

/** How likely it is that a character stands between two others, beside how frequent it is: from 0 to 1. */
function placeFactor(character: string, before: string, after: string): number {
  const letters = [before, after].filter((other) => /\p{L}/u.test(other))
  if (/[\p{Cc}\p{Co}\ufffd]/u.test(character)) return 0.000_05
  if (!/\p{L}/u.test(character)) {
    if (letters.length > 0 && !/[‘’“”„«»–—…\xa0·]/.test(character)) return 0.01
    return letters.length > 1 && !/[’·\xa0]/.test(character) ? 0.02 : 1
  }
  let factor = 1
  // "MŸller", "BŠrbel", "MüLLER".
  if (isUpper(character) && (isLower(before) || (isUpper(before) && isLower(after)))) factor *= 0.005
  if (isLower(character) && isUpper(before) && isUpper(after)) factor *= 0.005
  if (letters.some((other) => isOfOtherScript(other) !== isOfOtherScript(character))) factor *= 0.005
  // In languages with Latin letters, most letters are ASCII.
  if (!isOfOtherScript(character) && before > '\x7f') factor *= 0.2
  return factor
}
