/** The problems that the check of a file finds, in the words of the owner and with the names of the animals. */

import { recordsOf } from '../csv.ts'
import type { ChosenFile, Mapping } from '../read-file.ts'

const words: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^(name|category) is blank$/, 'The $1 is missing.'],
  [/^status must be one of .*, not (.*)$/, 'The status $1 is not known. Write available, pending or sold.'],
  [/^categoryId must be .*, not (.*)$/, 'This column has the numbers of categories, and $1 is none.'],
  [/^(name|category) must have at most (\d+) characters\b.*$/, 'The $1 is too long. Use at most $2 letters.'],
  [/^(name|category) must not contain .*$/, 'The $1 contains characters that cannot be shown. Type it anew.'],
  [
    /^the number of fields is (\d+), in the header it is (\d+)$/,
    'This row has another number of columns than the first row: $1, not $2. A text with a comma or semicolon in it needs quotation marks.',
  ],
  [
    /^a quote is inside an unquoted field: .*$/,
    'A quotation mark (") is inside a text. Remove it, or save the file as CSV in your spreadsheet program.',
  ],
  [
    /^text follows the closing quote of a field: .*$/,
    'A text goes on after its second quotation mark ("). Remove the marks inside the text.',
  ],
  [
    /^a quote is opened and not closed .*$/,
    'A quotation mark (") has no second one. Remove it, or add the second one.',
  ],
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

/** The names of the animals in these lines of the sent text, where they have one. */
export function namesAt(
  { text, table }: ChosenFile,
  mapping: Mapping,
  lines: readonly number[],
): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  const wanted = new Set(lines)
  const last = Math.max(0, ...lines)
  if (table === undefined || mapping.name === undefined) return names
  for (const { fields, line } of recordsOf(text, table.delimiter)) {
    if (line > last) break
    const name = fields[mapping.name]
    if (wanted.has(line) && name) names.set(line, name)
  }
  return names
}
