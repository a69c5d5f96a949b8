/** What the words stand for that a file has for the status, and the store has not. */

import { NativeSelect } from '@mantine/core'
import { countOf, isolated } from '../../../ui/format.ts'
import { type PetStatus, statuses as petStatuses, statusLabels } from '../../filters.ts'
import type { FileColumns } from '../mapping.ts'

interface StatusWordsProps {
  readonly unknown: FileColumns['unknownStatuses']
  readonly statuses: ReadonlyMap<string, PetStatus>
  readonly onChange: (statuses: ReadonlyMap<string, PetStatus>) => void
}

export function StatusWords({ unknown, statuses, onChange }: StatusWordsProps) {
  const counts = new Map(unknown.map(({ word, rows }) => [word, countOf(rows, 'row')]))
  const words = [...new Set([...statuses.keys(), ...counts.keys()])]
  if (words.length === 0) return null

  function choose(word: string, status: string): void {
    const next = new Map(statuses)
    const chosen = petStatuses.find((one) => one === status)
    if (chosen) next.set(word, chosen)
    else next.delete(word)
    onChange(next)
  }

  return (
    <fieldset className="import-words">
      <legend>What do these words of the status mean?</legend>
      <div className="import-columns">
        {words.map((word) => (
          <NativeSelect
            key={word}
            label={isolated(word)}
            description={counts.get(word) ?? 'matched'}
            value={statuses.get(word) ?? ''}
            onChange={({ currentTarget }) => choose(word, currentTarget.value)}
          >
            <option value="">Not known: needs fixing</option>
            {petStatuses.map((status) => (
              <option key={status} value={status}>
                {statusLabels[status]}
              </option>
            ))}
          </NativeSelect>
        ))}
      </div>
    </fieldset>
  )
}
