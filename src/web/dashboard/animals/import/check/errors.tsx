/** The problems of the rows that need fixing, equal ones together. */

import { useMemo } from 'react'
import { countOf, isolated } from '../../../ui/format.ts'
import type { Result } from '../mapping.ts'
import { problemWords } from './problems.ts'

const shownProblems = 20

/** The most characters of a name, or of a row that has none. */
const shownText = 40

export function Errors({ result }: { readonly result: Result }) {
  const problems = useMemo(() => describeProblems(result), [result])
  if (problems.length === 0) return null
  const more = problems.length - shownProblems
  return (
    <ul className="import-errors" aria-label="Rows that need fixing">
      {problems.slice(0, shownProblems).map((text) => (
        <li key={text}>{text}</li>
      ))}
      {more > 0 && <li>And {countOf(more, 'more problem')}.</li>}
    </ul>
  )
}

function describeProblems({ problems, errors, file }: Result): readonly string[] {
  const byLine = new Map(errors.map((error) => [error.line, error]))
  return problems.flatMap(({ message, rows, lines }) => {
    // As a spreadsheet numbers them: a comma within a number would look like one between two.
    const numbers = lines.map(String).join(', ')
    if (rows === 1) return `${placeOf(byLine.get(lines[0] ?? 0), numbers)}: ${problemWords(message)}`
    // The words that several rows have can be matched, where their numbers are.
    if (message.startsWith('status must be') && file?.unknownStatuses.length) return []
    return `${countOf(rows, 'row')} (lines ${numbers}${rows > lines.length ? ', …' : ''}): ${problemWords(message)}`
  })
}

/** Such as `Line 3, Bo`. */
function placeOf(error: Result['errors'][number] | undefined, line: string): string {
  const { name, text = '', message = '' } = error ?? {}
  // Of a row that can't be read, nobody knows which part is the name.
  const part = name?.slice(0, shownText) ?? (/quote/.test(message) ? text.slice(0, shownText) : '')
  return part === '' ? `Line ${line}` : `Line ${line}, ${isolated(part)}`
}
