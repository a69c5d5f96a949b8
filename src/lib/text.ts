/** The rules for names that people give to things. */

const control = '\\u0000-\\u001f\\u007f-\\u009f'
const pair = '[\\ud800-\\udbff][\\udc00-\\udfff]'
const character = `(?:[^${control}\\ud800-\\udfff]|${pair})`
const visible = `(?:[^\\s${control}\\ud800-\\udfff]|${pair})`

/**
 * A label as a JSON Schema pattern (ECMA-262): no control character, no lone surrogate, and at least one character that
 * is not white space. It matches the same texts with and without the `u` flag, since generated clients use either.
 */
export const labelPattern = `^${character}*${visible}${character}*$`

const labelExpression = new RegExp(labelPattern, 'u')

/** The rule that a label of at most `maximum` code points breaks, as text that follows the name of its field. */
export function labelFault(label: string, maximum: number): string | undefined {
  if (!label.trim()) return 'must not be blank'
  // Every code point is one or two UTF-16 units: most labels are decided without counting.
  if (label.length > maximum && [...label].length > maximum) return `must have at most ${maximum} characters`
  if (!labelExpression.test(label)) return 'must not contain control characters or broken Unicode'
  return undefined
}

/** A label as it is stored: without surrounding white space, in Unicode's canonical composition (NFC). */
export function storedLabel(label: string): string {
  return label.trim().normalize('NFC')
}
