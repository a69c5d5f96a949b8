/** Encodes texts for a file, so that an import reads them unchanged and a spreadsheet runs no formula. */

/**
 * The characters with which a formula in a spreadsheet begins, also full-width ones, after any number of apostrophes;
 * and words that stand for no value. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^'*(?:[=+\-@\t\r＝＋－＠]|(?:NA|n\/a|N\/A|#N\/A|NULL|null|–|—)$)/

/**
 * A cell of a CSV file, with an additional leading apostrophe if a spreadsheet could run it as a formula, or a program
 * could take it for no value.
 */
export function guarded(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell
}

/** A cell without the apostrophe that `guarded` has added. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}
