/** The parts of a check of a file: unknown words for the status, rows that need fixing, and unused columns. */

import { Alert, Box, NativeSelect, SimpleGrid, Text } from '@mantine/core'
import { countOf, formatNumber, isolated } from '../../ui/format.ts'
import { type PetStatus, petStates, statuses as petStatuses } from '../filters.ts'
import type { FileColumns, Result } from './mapping.ts'
import { problemWords } from './problems.ts'

const shownColumns = 10

/** The columns of which nothing is imported. */
export function Unused({ columns: unused }: { readonly columns: readonly string[] }) {
  if (unused.length === 0) return null
  const more = unused.length - shownColumns
  return (
    <>
      Not used: {unused.slice(0, shownColumns).join(', ')}
      {more > 0 && ` and ${formatNumber(more)} more`}.
    </>
  )
}

interface StatusWordsProps {
  readonly unknown: FileColumns['unknownStatuses']
  readonly statuses: ReadonlyMap<string, PetStatus>
  readonly onChange: (statuses: ReadonlyMap<string, PetStatus>) => void
}

/** The meanings of those words in the status column that are not a status of the store. */
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
    <Box component="fieldset" m={0} p={0} bd={0} miw={0} className="breaks">
      <Text component="legend" fw={600} pb="xs">
        What do these words for the status mean?
      </Text>
      <SimpleGrid minColWidth="12rem" autoFlow="auto-fit">
        {words.map((word) => (
          <NativeSelect
            key={word}
            label={isolated(word)}
            description={counts.get(word) ?? 'matched'}
            value={statuses.get(word) ?? ''}
            onChange={({ currentTarget }) => choose(word, currentTarget.value)}
          >
            <option value="">Unknown: needs fixing</option>
            {petStatuses.map((status) => (
              <option key={status} value={status}>
                {petStates[status][0]}
              </option>
            ))}
          </NativeSelect>
        ))}
      </SimpleGrid>
    </Box>
  )
}

const shownProblems = 20

/** The most characters of a name, or of a row that has none. */
const shownText = 40

/** The problems of the rows that need fixing, equal ones together. */
export function Errors({ result }: { readonly result: Result }) {
  const problems = describeProblems(result)
  const label = 'Rows that need fixing'
  if (problems.length === 0) return null
  const more = problems.length - shownProblems
  return (
    <Alert color="red" role="note">
      <Box component="ul" m={0} ps="md" fz="md" c="var(--mantine-color-text)" className="breaks" aria-label={label}>
        {problems.slice(0, shownProblems).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {more > 0 && <li>And {countOf(more, 'more problem')}.</li>}
      </Box>
    </Alert>
  )
}

function describeProblems({ problems, errors, file }: Result): readonly string[] {
  const byLine = new Map(errors.map((error) => [error.line, error]))
  return problems.flatMap(({ message, rows, lines }) => {
    // Without separators, as in a spreadsheet: a comma within a number would look like one between two numbers.
    const numbers = lines.map(String).join(', ')
    if (rows === 1) return `${placeOf(byLine.get(lines[0] ?? 0), numbers)}: ${problemWords(message)}`
    // Words that several rows have can be matched above, where their numbers are.
    if (message.startsWith('status must be') && file?.unknownStatuses.length) return []
    return `${countOf(rows, 'row')} (lines ${numbers}${rows > lines.length ? ', …' : ''}): ${problemWords(message)}`
  })
}

/** Such as `Line 3, Bo`. */
function placeOf(error: Result['errors'][number] | undefined, line: string): string {
  const { name, text = '', message = '' } = error ?? {}
  // In a row that cannot be read, it is unknown which part is the name.
  const part = name?.slice(0, shownText) ?? (/quote/.test(message) ? text.slice(0, shownText) : '')
  return part === '' ? `Line ${line}` : `Line ${line}, ${isolated(part)}`
}
