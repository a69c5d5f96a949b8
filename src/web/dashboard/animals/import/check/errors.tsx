/** The problems of the rows that need fixing, equal ones together. */

import { useMemo } from 'react'
import type { Schemas } from '../../../api/client.ts'
import { countOf, isolated } from '../../../ui/format.ts'
import { type ChosenFile, lineInFile, type Mapping } from '../read-file.ts'
import { namesAt, problemWords } from './problems.ts'

const shownProblems = 20

interface ErrorsProps {
  readonly chosen: ChosenFile
  readonly mapping: Mapping
  readonly result: Schemas['ImportResult']
}

export function Errors({ chosen, mapping, result: { problems } }: ErrorsProps) {
  const shown = useMemo(() => {
    const first = problems.slice(0, shownProblems)
    const names = namesAt(
      chosen,
      mapping,
      first.flatMap(({ rows, lines }) => (rows === 1 ? lines : [])),
    )
    return first.map(({ message, rows, lines }) => {
      // As a spreadsheet numbers them: a comma within a number would look like one between two.
      const numbers = lines.map((line) => lineInFile(chosen, line)).join(', ')
      const [name] = lines.flatMap((line) => names.get(line) ?? [])
      const place = `Line ${numbers}${name === undefined ? '' : `, ${isolated(name)}`}`
      const places = `${countOf(rows, 'row')} (lines ${numbers}${rows > lines.length ? ', …' : ''})`
      return `${rows === 1 ? place : places}: ${problemWords(message)}`
    })
  }, [chosen, mapping, problems])
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
