/** The parts of a check of a file: words to match, rows that need fixing, and unused columns. */

import { Alert, Box, NativeSelect, SimpleGrid, Text } from '@mantine/core'
import { countOf, formatNumber, isolated } from '../../ui/format.ts'
import { anyWord, type Meanings, type Result, type WordCount } from './mapping.ts'
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

interface WordsProps {
  /** The question, for a text such as `26 words`. */
  readonly legend: (words: string) => string
  readonly words: readonly WordCount[]
  readonly noun: string
  readonly plural?: string
  readonly meanings: Meanings
  readonly onChange: (meanings: Meanings) => void
  /** What a word means that has no meaning. */
  readonly none: string
  /** The meanings to choose from, with their labels. */
  readonly options: readonly (readonly [meaning: string, label: string])[]
}

/** The fewest words that can be given one meaning together. */
const manyWords = 4

/** The meanings of words in a column. Fields stay where they are while others are filled in. */
export function Words({ legend, words, noun, plural = `${noun}s`, meanings, onChange, none, options }: WordsProps) {
  if (words.length === 0) return null

  function choose(word: string, value: string): void {
    const next = new Map(meanings)
    if (value === '') next.delete(word)
    else next.set(word, value.slice(1))
    onChange(next)
  }

  function field(word: string, label: string, description?: string) {
    const meaning = meanings.get(word)
    return (
      <NativeSelect
        key={word}
        label={label}
        description={description}
        // A meaning may be empty, too.
        value={meaning === undefined ? '' : `=${meaning}`}
        onChange={({ currentTarget }) => choose(word, currentTarget.value)}
      >
        <option value="">{word !== anyWord && meanings.has(anyWord) ? 'As all the rest' : none}</option>
        {options.map(([value, text]) => (
          <option key={value} value={`=${value}`}>
            {text}
          </option>
        ))}
        <option value="=">Leave out</option>
      </NativeSelect>
    )
  }

  return (
    <Box component="fieldset" m={0} p={0} bd={0} miw={0} className="breaks">
      <Text component="legend" fw={600} pb="xs">
        {legend(countOf(words.length, noun, plural))}
      </Text>
      {words.length >= manyWords && (
        <Box maw="16rem" mb="md">
          {field(anyWord, 'Set all the rest to')}
        </Box>
      )}
      <SimpleGrid minColWidth="12rem" autoFlow="auto-fill">
        {words.map(({ word, rows }) => field(word, isolated(word), countOf(rows, 'row')))}
      </SimpleGrid>
    </Box>
  )
}

const shownProblems = 20
const shownLines = 3

/** The most characters of a name, or of a row that has none. */
const shownText = 40

/** The problems of the rows that need fixing, those of a kind together. */
export function Errors({ result }: { readonly result: Result }) {
  const title = `${countOf(result.skipped, 'row needs', 'rows need')} fixing`
  return <Problems {...result} color="red" title={title} label="Rows that need fixing" />
}

/** The values of profiles that cannot be read; their animals are imported without them. */
export function UnreadValues({ result: { unreadValues, errors } }: { readonly result: Result }) {
  return (
    <Problems
      problems={unreadValues}
      errors={errors}
      color="amber"
      title="Some values cannot be read and are left out"
      label="Values that are left out"
    />
  )
}

interface ProblemsProps extends Pick<Result, 'problems' | 'errors'> {
  readonly color: string
  readonly title: string
  readonly label: string
}

function Problems({ color, title, label, ...found }: ProblemsProps) {
  const problems = describeProblems(found)
  if (problems.length === 0) return null
  const more = problems.length - shownProblems
  return (
    <Alert color={color} role="note" title={`${title}: ${countOf(problems.length, 'problem')}`}>
      <Box component="ul" m={0} ps="md" fz="md" c="var(--mantine-color-text)" className="breaks" aria-label={label}>
        {problems.slice(0, shownProblems).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {more > 0 && <li>And {countOf(more, 'more problem')}.</li>}
      </Box>
    </Alert>
  )
}

function describeProblems({ problems, errors }: Pick<Result, 'problems' | 'errors'>): readonly string[] {
  const byLine = new Map(errors.map((error) => [error.line, error]))
  const kinds = new Map<string, Result['problems']>()
  for (const problem of problems) {
    // Problems of a kind differ in the value that they quote.
    const kind = problem.message.replace(/"(?:[^"\\]|\\.)*…?"?/g, '')
    kinds.set(kind, [...(kinds.get(kind) ?? []), problem])
  }
  return [...kinds.values()].map((ofKind) => {
    const [{ message }] = ofKind as [Result['problems'][number]]
    const rows = ofKind.reduce((sum, problem) => sum + problem.rows, 0)
    const lines = ofKind.flatMap((problem) => problem.lines).sort((a, b) => a - b)
    // Without separators, as in a spreadsheet: a comma within a number would look like one between two numbers.
    const numbers = lines.slice(0, shownLines).map(String).join(', ')
    const others = ofKind.length - 1
    const text = `${problemWords(message)}${others > 0 ? ` The same is true of ${countOf(others, 'other value')}.` : ''}`
    if (rows === 1) return `${placeOf(byLine.get(lines[0] ?? 0), numbers)}: ${text}`
    return `${countOf(rows, 'row')} (lines ${numbers}${rows > shownLines ? ', …' : ''}): ${text}`
  })
}

/** Such as `Line 3, Bo`. */
function placeOf(error: Result['errors'][number] | undefined, line: string): string {
  const { name, text = '', message = '' } = error ?? {}
  // In a row that cannot be read, it is unknown which part is the name.
  const part = name?.slice(0, shownText) ?? (/quote/.test(message) ? text.slice(0, shownText) : '')
  return part === '' ? `Line ${line}` : `Line ${line}, ${isolated(part)}`
}
