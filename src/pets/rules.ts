/** What an animal may be called and which states it may go through. */

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** Code points of a name as sent. */
export const maximumNameLength = 100

/**
 * A name as a JSON Schema pattern (ECMA-262, `u`): no control character, no lone surrogate, and
 * somewhere a character that is not white space. Explicit ranges, because `\p{…}` is not portable.
 */
export const namePattern =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff][^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$'

const nameExpression = new RegExp(namePattern, 'u')

/** The rule that `name` breaks, in words that follow "name", or undefined if it is a good one. */
export function nameFault(name: string): string | undefined {
  if (!name.trim()) return 'must not be blank'
  // Every code point is one or two UTF-16 units: most names are decided without counting.
  if (name.length > maximumNameLength && [...name].length > maximumNameLength) {
    return `must have at most ${maximumNameLength} characters`
  }
  if (!nameExpression.test(name)) return 'must not contain control characters or broken Unicode'
  return undefined
}

/** A name as it is stored: without surrounding white space, in Unicode's canonical composition (NFC). */
export function storedName(name: string): string {
  return name.trim().normalize('NFC')
}
