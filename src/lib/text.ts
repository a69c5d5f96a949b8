/** What people may call things. */

/**
 * Such a text as a JSON Schema pattern (ECMA-262, `u`): no control character, no lone surrogate, and
 * somewhere a character that is not white space. Explicit ranges, because `\p{…}` is not portable.
 */
export const labelPattern =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff][^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$'

const labelExpression = new RegExp(labelPattern, 'u')

/** The rule that a label of at most `maximum` code points breaks, in words that follow its field's name. */
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
