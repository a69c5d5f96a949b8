/** How texts are written into a file so that they come back as they were, and run nothing on the way. */

/**
 * What spreadsheets take for the beginning of a formula, full-width signs too, behind any number of
 * apostrophes. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*[=+\-@\t\r＝＋－＠]/

/** A cell of a CSV file with one more leading apostrophe if a spreadsheet could take it for a formula. */
export function guarded(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

/** A cell without the apostrophe that `guarded` gave it. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

/**
 * A text that is equal to a stored label and no longer than `maximum` code points, as the one was that it was
 * stored from: NFC takes some characters apart, so that what is stored can be too long to come in again.
 */
export function sendable(label: string, maximum: number): string {
  const isTooLong = label.length > maximum && [...label].length > maximum
  return isTooLong ? takenApart().reduce((text, [parts, whole]) => text.replaceAll(parts, whole), label) : label
}

/** From where to where those characters stand (Unicode's composition exclusions). https://unicode.org/reports/tr15 */
const ranges = [
  [0x344, 0x344],
  [0x958, 0xb5d],
  [0xf43, 0xfb9],
  [0x2adc, 0x2adc],
  [0xfb1d, 0xfb4e],
  [0x1d15e, 0x1d1c0],
] as const

/** What NFC makes of each of them and the character itself, those of most parts first. */
function takenApart(): (readonly [parts: string, whole: string])[] {
  return ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)))
    .map((whole) => [whole.normalize('NFC'), whole] as const)
    .filter(([parts, whole]) => parts.length > whole.length)
    .sort(([one], [other]) => other.length - one.length)
}
