/** Reads CSV as far as the page needs it: the header, the first rows, and the rows that were rejected. */

export interface CsvRecord {
  readonly fields: readonly string[]
  /** The text of the record, without its line break. */
  readonly raw: string
  /** The number of its first line, from 1. */
  readonly line: number
}

/** The records of a text (RFC 4180), at most `most`. Empty lines are left out. */
export function* recordsOf(text: string, delimiter: string, most = Number.POSITIVE_INFINITY): Generator<CsvRecord> {
  let [start, line, firstLine, found] = [0, 1, 1, 0]
  let isQuoted = false
  for (let at = 0; at <= text.length && found < most; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    const isEnd = character === undefined || (character === '\n' && !isQuoted)
    if (character === '\n') line++
    if (!isEnd) continue
    const raw = text.slice(start, at).replace(/\r$/, '')
    if (raw.trim() !== '') {
      found++
      yield { fields: fieldsOf(raw, delimiter), raw, line: firstLine }
    }
    start = at + 1
    firstLine = line
  }
}

function fieldsOf(raw: string, delimiter: string): readonly string[] {
  const fields: string[] = []
  let field = ''
  let isQuoted = false
  for (let at = 0; at < raw.length; at++) {
    const character = raw.charAt(at)
    if (character === '"') {
      // A quote within quotes is written twice.
      if (isQuoted && raw[at + 1] === '"') field += '"'
      isQuoted = !isQuoted
    } else if (character === delimiter && !isQuoted) {
      fields.push(field)
      field = ''
    } else field += character
  }
  fields.push(field)
  return fields.map((one) => one.trim())
}

/** The delimiter that splits the first line into most fields. */
export function delimiterOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const counted = [',', ';', '\t'].map((delimiter) => [delimiter, fieldsOf(first, delimiter).length] as const)
  return counted.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

export function quoted(field: string): string {
  return /["\r\n,;\t]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
