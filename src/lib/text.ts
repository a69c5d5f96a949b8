/** Rules for names and texts that people enter, and their comparison. */

const control = '\\x00-\\x1F\\x7F-\\x9F'

/**
 * A label as a JSON Schema pattern: no control character, and at least one character that is not white space. Generated
 * clients compile it with other engines (RE2, Python, Rust), so it cannot say that a character is visible, or that
 * there is no lone surrogate.
 */
export const labelPattern = `^[^${control}]*[^\\s${control}][^${control}]*$`

const controlCharacter = new RegExp(`[${control}]`)

/**
 * The rule that a label of at most `maximum` code points breaks, as text that follows the name of its field. The
 * stored form has at most that many, too, so that a client can send back what it has read.
 */
export function labelFault(label: string, maximum: number): string | undefined {
  const stored = storedLabel(label)
  if (stored === '') return 'must not be blank'
  const tooLong = lengthFault(label, stored, maximum)
  if (tooLong !== undefined) return tooLong
  if (controlCharacter.test(label) || !label.isWellFormed())
    return 'must not contain control characters or broken Unicode'
  return undefined
}

function lengthFault(sent: string, stored: string, maximum: number): string | undefined {
  // Every code point is one or two UTF-16 units: most texts are decided without counting.
  const isTooLong = (text: string) => text.length > maximum && [...text].length > maximum
  if (isTooLong(sent)) return `must have at most ${maximum} characters`
  // Composition can make up to three characters of one.
  if (isTooLong(stored)) return `must have at most ${maximum} characters in Unicode's canonical composition (NFC)`
  return undefined
}

/** A text of several lines as a JSON Schema pattern: no control characters but tabs and line breaks. */
export const textPattern = '^[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]*$'

const textExpression = new RegExp(textPattern)

/** Like `textPattern`, for a text of at most `lines` lines. */
export function linesPattern(lines: number): string {
  const line = '[^\\x00-\\x08\\x0A-\\x0C\\x0E-\\x1F\\x7F-\\x9F]*'
  return `^${line}(\\x0A${line}){0,${lines - 1}}$`
}

/** The rule that a text of at most `maximum` code points and `lines` lines breaks, like `labelFault`. */
export function textFault(text: string, maximum: number, lines = Number.POSITIVE_INFINITY): string | undefined {
  const tooLong = lengthFault(text, storedText(text), maximum)
  if (tooLong !== undefined) return tooLong
  if (!textExpression.test(text) || !text.isWellFormed()) return 'must not contain control characters or broken Unicode'
  return text.split('\n').length > lines ? `must have at most ${lines} lines` : undefined
}

/** A text as it is stored: like a label, with line feeds as line breaks. */
export function storedText(text: string): string {
  return storedLabel(text.replaceAll(/\r\n?/g, '\n'))
}

/**
 * A label as it is stored: without invisible ends, in Unicode's canonical composition (NFC). Empty if nothing is
 * visible.
 */
export function storedLabel(label: string): string {
  return withoutInvisibleEnds(label).normalize('NFC')
}

const ascii = /^[\u0020-\u007e]*$/

/** Whether a text has only printable characters of ASCII, for which most rules are simple. */
export const isAscii = (text: string): boolean => ascii.test(text)

/** Code points without an appearance. U+2800, the blank of Braille, is not among those of Unicode. */
export const ignorable = '\\p{Default_Ignorable_Code_Point}\\u2800'
const invisible = new RegExp(`[\\s${ignorable}]`, 'u')

/**
 * A character that ends in ignorable code points, such as the red heart, which is U+2764 and U+FE0F, and the flag of
 * Wales.
 */
const withSelectors =
  /^(?:\p{Emoji}\uFE0F|\u{1F3F4}[\u{E0020}-\u{E007F}]+|\p{Ideographic}[\uFE00-\uFE0F\u{E0100}-\u{E01EF}])/u

/** Works through the characters from both ends, because a regular expression would take quadratic time. */
function withoutInvisibleEnds(text: string): string {
  if (isAscii(text)) return text.trim()
  const characters = [...text]
  const isVisible = (character: string) => !invisible.test(character)
  const last = characters.findLastIndex(isVisible)
  if (last === -1) return ''
  const [end = characters[last]] = withSelectors.exec(characters.slice(last).join('')) ?? []
  return characters.slice(characters.findIndex(isVisible), last).join('') + end
}

/**
 * Latin letters that Unicode doesn't decompose into a letter and marks, each followed by the letters that people type
 * for it.
 */
export const latinLetters = 'æ ae œ oe ø o đ d ð d þ th ł l ħ h ı i ĸ k ŋ n ŧ t'

/** Pairs of a character and its replacement, separated by spaces, as a map. */
export function replacementsOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    [...pairs.matchAll(/(\S+) (\S+)/g)].map(([, character = '', replacement = '']) => [character, replacement]),
  )
}

const latinReplacements = replacementsOf(latinLetters)
const anyLatinLetter = new RegExp(`[${[...latinReplacements.keys()].join('')}]`, 'g')

/** A text for comparison: without case and accents, and with one kind of apostrophe; ł is l, ø is o, ß is ss. */
export function foldedText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  // Lower, upper and lower case: one conversion alone leaves ß and SS different.
  const folded = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase().normalize('NFKD')
  // A sigma at the end of a word becomes ς, but as part of a text it may be inside of a word of the other text.
  return folded
    .replaceAll('ς', 'σ')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’ʼ′]/g, "'")
    .replace(anyLatinLetter, (letter) => latinReplacements.get(letter) ?? letter)
}
