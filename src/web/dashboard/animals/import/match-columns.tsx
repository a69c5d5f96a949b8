/** The choice of a column for each target. The server guesses it from the names; the first values show whether it is right. */

import { Box, Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { countOf } from '../../ui/format.ts'
import { Quiet } from '../../ui/small.ts'
import { FileChoices } from './file-choices.tsx'
import {
  columnName,
  type FileChoice,
  type FileColumns,
  type Mapping,
  type Reading,
  type Result,
  type Target,
  targetsOf,
  unusedColumns,
} from './mapping.ts'
import { ProfileChoices } from './profile-choices.tsx'

interface TargetWords {
  readonly label: string
  /** The option for no column; a target without it needs one. */
  readonly none?: string
}

const words: Readonly<Record<string, TargetWords>> = {
  name: { label: 'Name' },
  otherName: { label: 'Name if the first is empty', none: 'None: leave it out' },
  category: { label: 'Category' },
  status: { label: 'Status' },
  number: { label: 'Number', none: 'Not imported' },
  birthDate: { label: 'Date of birth', none: 'Not imported' },
  attributes: { label: 'Other facts', none: 'Not imported' },
}

function wordsOf(target: string): TargetWords {
  const label = `${target.slice(0, 1).toUpperCase()}${target.slice(1)}`
  return words[target] ?? { label, none: 'Not imported' }
}

/** The value of the option for no column, and of that for one category for all animals. */
const none = 'none'
const oneForAll = 'one'

interface MatchColumnsProps {
  readonly file: FileColumns
  readonly result: Result
  readonly reading: Reading
  readonly onChange: (reading: Reading) => void
  /** For the first prices of the store. */
  readonly currencyField: ReactNode
  /** Whether the file is being read again in another way. */
  readonly isReading: boolean
  /** Reads the file again in another way. */
  readonly onFileChoice: (choice: FileChoice) => void
  readonly onBack: () => void
  readonly onCheck: () => void
}

export function MatchColumns(props: MatchColumnsProps) {
  const { file, result, reading, onChange, isReading, onFileChoice, onBack, onCheck } = props
  const { mapping } = reading
  // The name of an animal that has none may well be its number.
  const targets: readonly Target[] = targetsOf(file).filter((target) => target !== 'otherName')
  const isTwice = (one: Target) =>
    Boolean(mapping[one]) && targets.some((other) => other !== one && mapping[other] === mapping[one])
  const missing = missingChoice(result, reading)
  // An animal without a name can have one from another column, such as its number.
  const needsOther = Boolean(mapping.otherName) || valuesOf(file, mapping.name).some((value) => value.trim() === '')
  return (
    <Stack>
      <FileChoices file={file} result={result} reading={reading} onFileChoice={onFileChoice} />
      <SimpleGrid minColWidth="12rem" autoFlow="auto-fit">
        {targetsOf(file)
          .filter((target) => target !== 'otherName' || needsOther)
          .map((target) => (
            <Column
              key={target}
              {...{ file, result, reading, target, onChange }}
              error={
                targets.includes(target) && isTwice(target)
                  ? 'Choose another column: this one is used twice.'
                  : undefined
              }
            />
          ))}
      </SimpleGrid>
      {props.currencyField}
      <ProfileChoices result={result} reading={reading} unused={unusedColumns(file, reading)} onChange={onChange} />
      {(reading.isFilled || result.notes.some(({ kind }) => kind === 'empty_category')) && (
        <Checkbox
          label="An animal without a category has that of the row above"
          description="For lists with merged cells."
          checked={reading.isFilled}
          onChange={({ currentTarget: { checked } }) => onChange({ ...reading, isFilled: checked })}
        />
      )}
      <Group justify="flex-end">
        {missing !== undefined && <Quiet me="auto">{missing}</Quiet>}
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={missing !== undefined || isReading || targets.some(isTwice)} onClick={onCheck}>
          Check file
        </Button>
      </Group>
    </Stack>
  )
}

/** What has to be chosen before the file can be checked; undefined for nothing. */
function missingChoice({ encoding }: Result, { mapping, category }: Reading): string | undefined {
  if (encoding && encoding.candidates.length > 0) return 'Choose the encoding of the file.'
  const hasCategory = category === undefined ? Boolean(mapping.category) : category.trim() !== ''
  if (!mapping.name || !hasCategory) return 'Choose the columns of the name and of the category.'
  return mapping.status === undefined ? 'Choose the column of the status, or that all are available.' : undefined
}

interface ColumnProps {
  readonly file: FileColumns
  readonly result: Result
  readonly reading: Reading
  readonly target: Target
  readonly error: string | undefined
  readonly onChange: (reading: Reading) => void
}

function Column({ file, result, reading, target, error, onChange }: ColumnProps) {
  const { mapping, category } = reading
  const { label, none: noneLabel } = wordsOf(target)
  const isOneForAll = target === 'category' && category !== undefined
  const column = mapping[target]
  function choose(value: string): void {
    const number = value === none ? null : value === '' || value === oneForAll ? undefined : Number(value)
    const next: Mapping = { ...mapping, [target]: number }
    const all = target === 'category' ? { category: value === oneForAll ? '' : undefined } : {}
    onChange({ ...reading, ...all, mapping: next })
  }
  return (
    <div>
      <NativeSelect
        label={label}
        // A space keeps the values of a row side by side.
        description={descriptionOf(file, result, reading, target) ?? (column ? '\u00a0' : undefined)}
        // The fields of a row stand side by side.
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={isOneForAll ? oneForAll : (column ?? (column === null || noneLabel !== undefined ? none : ''))}
        error={error}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {noneLabel === undefined ? (
          <option value="">Choose the column</option>
        ) : (
          <option value={none}>{noneLabel}</option>
        )}
        {target === 'status' && <option value={none}>None: {allAre(result)} available</option>}
        {target === 'category' && <option value={oneForAll}>One category for all</option>}
        {file.columns.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and never move
          <option key={index} value={index + 1}>
            {columnName(file, index + 1)}
          </option>
        ))}
      </NativeSelect>
      {isOneForAll && (
        <TextInput
          mt="xs"
          label="Category of all animals"
          value={category}
          maxLength={64}
          onChange={({ currentTarget }) => onChange({ ...reading, category: currentTarget.value })}
        />
      )}
      <Box component="ul" mt="xs" className="plain-list" aria-label={`First values of ${label}`}>
        {valuesOf(file, column).map((value, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
          <Text key={index} component="li" truncate fz="0.9rem" lh="1.4rem" px="sm" py="0.3rem" style={line}>
            {value || (
              <Text span inherit c="dimmed">
                empty
              </Text>
            )}
          </Text>
        ))}
      </Box>
    </div>
  )
}

function allAre({ imported, skipped }: Result): string {
  const animals = imported + skipped
  return animals === 0 ? 'all would be' : `all ${countOf(animals, 'animal')} would be`
}

/** Whether a column was guessed, or between which ones the server could not decide. */
function descriptionOf(file: FileColumns, result: Result, { mapping }: Reading, target: Target): string | undefined {
  const column = mapping[target]
  const question = file.questions.find(({ field }) => field === target)
  if (column === undefined && question !== undefined) {
    return `Perhaps ${question.columns.map((number) => columnName(file, number)).join(' or ')}.`
  }
  if (target === 'status' && column === undefined) return 'No column for the status was found.'
  const isGuessed = result.guessedColumns.some(({ field }) => field === target)
  const guess = target === 'otherName' ? undefined : file.mapping[target][0]
  return isGuessed && guess === column ? 'Guessed' : undefined
}

/** Below each value. */
const line = { borderBottom: '1px solid var(--line)' }

const valuesOf = (file: FileColumns, column: number | null | undefined): readonly string[] =>
  (column ? file.columns[column - 1] : undefined)?.values ?? []
