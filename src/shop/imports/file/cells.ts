/** Encodes texts for a file, so that an import reads them unchanged and a spreadsheet runs no formula. */

/** Where a spreadsheet may begin a cell: some split a file at other characters than its commas, also inside quotes. */
const begin = '(?<=^|[;\\t\\n\\r])'

/**
 * The characters with which a formula in a spreadsheet begins, also full-width ones, after any number of apostrophes.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = "(?='*[=+\\-@\\t\\r＝＋－＠])"

/** A cell that programs take for no value. */
const noValue = "(?='*(?:NA|n/a|N/A|#N/A|NULL|null|–|—)$)"

const unguardedPlace = new RegExp(`${begin}${formula}|^${noValue}`, 'g')
const guard = new RegExp(`${begin}'${formula}|^'${noValue}`, 'g')

/**
 * A cell of a CSV file, with an additional apostrophe wherever a spreadsheet could begin to read a formula, or a program
 * could take it for no value.
 */
export function guarded(cell: string): string {
  return cell.replace(unguardedPlace, "'")
}

/** A cell without the apostrophes that `guarded` has added. */
export function unguarded(cell: string): string {
  return cell.includes("'") ? cell.replace(guard, '') : cell
}
