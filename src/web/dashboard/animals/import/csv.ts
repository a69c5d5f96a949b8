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
  let [start, line, found] = [0, 1, 0]
  while (start < text.length && found < most) {
    const { fields, end } = recordAt(text, start, delimiter)
    const raw = text.slice(start, end).replace(/\r$/, '')
    if (raw.trim() !== '') {
      found++
      yield { fields, raw, line }
    }
    line += raw.split('\n').length
    start = end + 1
  }
}

/** The fields of the record at `start`, and the index of its line break. Quotes count as on the server. */
function recordAt(text: string, start: number, delimiter: string): { fields: readonly string[]; end: number } {
  const fields: string[] = []
  let field = ''
  let quote: 'none' | 'open' | 'closed' = 'none'
  let isSpoiled = false
  let at = start
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote === 'open' && character === '"') {
      // A quote within quotes is written twice.
      if (text[at + 1] === '"') field += text[at++]
      else quote = 'closed'
    } else if (quote === 'open') field += character
    else if (character === '\n') break
    else if (character === delimiter) {
      fields.push(field.trim())
      field = ''
      quote = 'none'
    } else if (character === '"' && quote === 'none' && field.trim() === '') quote = 'open'
    else {
      isSpoiled ||= quote === 'closed' && character.trim() !== ''
      field += character
    }
  }
  const lineEnd = text.indexOf('\n', start)
  // A wrong quote spoils one line, not the rest of the file.
  if ((isSpoiled || quote === 'open') && lineEnd !== -1) {
    return { ...recordAt(text.slice(start, lineEnd), 0, delimiter), end: lineEnd }
  }
  return { fields: [...fields, field.trim()], end: at }
}

/** The delimiter that splits the first line into most fields. */
export function delimiterOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const counted = [',', ';', '\t'].map((delimiter) => [delimiter, recordAt(first, 0, delimiter).fields.length] as const)
  return counted.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

export function quoted(field: string): string {
  return /["\r\n,;\t]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
