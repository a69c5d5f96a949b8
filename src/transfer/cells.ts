/** Encodes texts for a file, so that an import reads them unchanged and a spreadsheet runs no formula. */

/**
 * The characters with which a formula in a spreadsheet begins, also full-width ones, after any number of apostrophes.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@\t\r＝＋－＠]/

/** A cell of a CSV file, with an additional leading apostrophe if a spreadsheet could run it as a formula. */
export function guarded(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

/** A cell without the apostrophe that `guarded` has added. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

/**
 * A text of at most `maximum` code points that is stored as `label`. NFC decomposes some characters, so that a stored label
 * can be too long to be accepted again.
 */
export function sendable(label: string, maximum: number): string {
  const isTooLong = label.length > maximum && [...label].length > maximum
  return isTooLong ? decomposed().reduce((text, [parts, whole]) => text.replaceAll(parts, whole), label) : label
}

/** The ranges of these characters (Unicode's composition exclusions). https://unicode.org/reports/tr15 */
const ranges = [
  [0x344, 0x344],
  [0x958, 0xb5d],
  [0xf43, 0xfb9],
  [0x2adc, 0x2adc],
  [0xfb1d, 0xfb4e],
  [0x1d15e, 0x1d1c0],
] as const

/** The NFC form of each of them, and the character itself; the longest first. */
function decomposed(): (readonly [parts: string, whole: string])[] {
  return ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)))
    .map((whole) => [whole.normalize('NFC'), whole] as const)
    .filter(([parts, whole]) => parts.length > whole.length)
    .sort(([one], [other]) => other.length - one.length)
}
