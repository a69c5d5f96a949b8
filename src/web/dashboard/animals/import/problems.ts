/** The problems that the check of a file finds, explained to the owner. */

import { ApiError } from '../../api/error.ts'

const words: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /^birthDate is unclear: .*$/,
    'It is unclear whether these dates begin with the day or the month. Go back to the columns, and choose.',
  ],
  [/^birthDate is in the future: (.*)$/, 'The date of birth $1 is in the future.'],
  [/^birthDate cannot be read(.*)$/, 'The date of birth cannot be read$1.'],
  [/^price needs a currency: .*$/, 'Prices need the currency of the store. Go back to the columns, and choose it.'],
  [/^(name|category) is blank$/, 'The $1 is missing.'],
  [/^status must be one of .*, not (.*)$/, 'The status $1 is unknown. Write available, pending or sold.'],
  [/^categoryId must be .*, not (.*)$/, 'This column has the numbers of categories, and $1 is not one.'],
  [/^(name|category) must have at most (\d+) characters\b.*$/, 'The $1 is too long. Use at most $2 letters.'],
  [/^(name|category) must not contain .*$/, 'The $1 contains characters that cannot be shown. Type it again.'],
  [
    /^the number of fields is (\d+), in the (?:header|first line) it is (\d+)$/,
    'This row has more columns than the first row: $1 instead of $2. A text that contains a comma or semicolon needs quotation marks.',
  ],
  [
    /^a quote is inside an unquoted field: .*$/,
    'A text contains a quotation mark ("). Remove it, or save the file as CSV in your spreadsheet program.',
  ],
  [
    /^text follows the closing quote of a field: .*$/,
    'A text continues after its closing quotation mark ("). Remove the quotation marks inside the text.',
  ],
  [/^a quote is opened and not closed .*$/, 'A quotation mark (") is not closed. Remove it, or add the closing one.'],
]

/** The message of the server about a row, which names its fields, as sentences for the owner. */
export function problemWords(message: string): string {
  const parts = message.split(/; (?=(?:name|category|categoryId|status) )/)
  return parts.map(partWords).join(' ')
}

function partWords(part: string): string {
  const [pattern, text] = words.find(([one]) => one.test(part)) ?? []
  return pattern === undefined || text === undefined ? part : part.replace(pattern, text)
}

const files: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/there is no line of column names/, 'This file is empty. Choose another one.'],
  [
    /the spreadsheet is damaged/,
    'This spreadsheet is damaged. Open it in its program, save it again, and choose that file.',
  ],
  [
    /protected with a password/,
    'This spreadsheet is protected with a password. Save it without one, and choose that file.',
  ],
  [/the spreadsheet is empty/, 'This spreadsheet is empty. Choose another one.'],
  [/500 MiB when|of text: split/, 'This spreadsheet is too large. Split it into several files.'],
  [
    /the spreadsheet can't be read/,
    'This spreadsheet is too large to read. Save it as CSV in its program, and choose that file.',
  ],
  [/this is a web page/, 'This is a web page, not a list of animals. Choose a .csv file.'],
  [
    /spreadsheet|PDF document|not a list|compressed/,
    'This is not a list of animals. Save the list as CSV in your spreadsheet program, and choose that file.',
  ],
  [
    /: line (\d+): the text begins as/,
    'The text of this file is damaged from line $1 on. Save it again as CSV in your spreadsheet program.',
  ],
]

/** Why the server cannot read a file; undefined for any other error. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const { message } = error
  const [pattern, text] = files.find(([one]) => one.test(message)) ?? []
  return pattern === undefined || text === undefined ? undefined : text.replace('$1', pattern.exec(message)?.[1] ?? '')
}
