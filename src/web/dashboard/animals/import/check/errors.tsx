/** The problems of the rows that need fixing, equal ones together. */

import { useMemo } from 'react'
import { countOf, isolated } from '../../../ui/format.ts'
import type { Result } from '../mapping.ts'
import { problemWords } from './problems.ts'

const shownProblems = 20

/** A row without a name is recognised by its beginning. */
const shownText = 40

export function Errors({ result: { problems, errors } }: { readonly result: Result }) {
  const shown = useMemo(() => {
    const byLine = new Map(errors.map((error) => [error.line, error]))
    return problems.slice(0, shownProblems).map(({ message, rows, lines }) => {
      // As a spreadsheet numbers them: a comma within a number would look like one between two.
      const numbers = lines.map(String).join(', ')
      const places = `${countOf(rows, 'row')} (lines ${numbers}${rows > lines.length ? ', …' : ''})`
      return `${rows === 1 ? placeOf(byLine.get(lines[0] ?? 0), numbers) : places}: ${problemWords(message)}`
    })
  }, [problems, errors])
  if (problems.length === 0) return null
  const more = problems.length - shown.length
  return (
    <ul className="import-errors" aria-label="Rows that need fixing">
      {shown.map((text) => (
        <li key={text}>{text}</li>
      ))}
      {more > 0 && <li>And {countOf(more, 'more problem')}.</li>}
    </ul>
  )
}

/** Such as `Line 3, Bo`. */
function placeOf(error: Result['errors'][number] | undefined, line: string): string {
  const { name, text = '', message = '' } = error ?? {}
  // Of a row that can't be read, nobody knows which part is the name.
  const part = name ?? (/quote/.test(message) ? text.slice(0, shownText) : '')
  return part === '' ? `Line ${line}` : `Line ${line}, ${isolated(part)}`
}
