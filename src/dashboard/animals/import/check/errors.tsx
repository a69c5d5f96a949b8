/** The rows that need fixing. */

import { useMemo } from 'react'
import type { Schemas } from '../../../api/client.ts'
import { formatNumber, isolated } from '../../../ui/format.ts'
import { type ChosenFile, lineInFile, type Mapping } from '../read-file.ts'
import { namesAt, problemWords } from './problems.ts'

const shownErrors = 20

interface ErrorsProps {
  readonly chosen: ChosenFile
  readonly mapping: Mapping
  readonly result: Schemas['ImportResult']
}

export function Errors({ chosen, mapping, result: { errors, skipped } }: ErrorsProps) {
  const shown = useMemo(() => {
    const first = errors.slice(0, shownErrors)
    const lines = first.map(({ line }) => line)
    const names = namesAt(chosen, mapping, lines)
    return first.map(({ line, message }) => ({ line, name: names.get(line), message }))
  }, [chosen, mapping, errors])
  if (errors.length === 0) return null
  return (
    <ul className="import-errors" aria-label="Rows that need fixing">
      {shown.map(({ line, name, message }) => (
        <li key={`${line} ${message}`}>
          Line {formatNumber(lineInFile(chosen, line))}
          {name !== undefined && `, ${isolated(name)}`}: {problemWords(message)}
        </li>
      ))}
      {skipped > shown.length && <li>And {formatNumber(skipped - shown.length)} more.</li>}
    </ul>
  )
}
