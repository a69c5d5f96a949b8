/** How a file is divided: its sheet, its encoding, and the line that names its columns. */

import { Alert, NativeSelect, SimpleGrid, Text } from '@mantine/core'
import type { Encoding, FileChoice, FileColumns, Reading, Result } from './mapping.ts'

/** What people call the encodings in which spreadsheets write. */
const encodingNames: readonly (readonly [Encoding, string])[] = [
  ['utf-8', 'Unicode (UTF-8)'],
  ['utf-16le', 'Unicode (UTF-16)'],
  ['windows-1252', 'Western European (Windows-1252)'],
  ['windows-1250', 'Central European (Windows-1250)'],
  ['iso-8859-2', 'Central European (ISO-8859-2)'],
  ['windows-1251', 'Cyrillic (Windows-1251)'],
  ['windows-1253', 'Greek (Windows-1253)'],
  ['windows-1254', 'Turkish (Windows-1254)'],
  ['windows-1257', 'Baltic (Windows-1257)'],
  ['macintosh', 'Western European (Mac Roman)'],
]

interface FileChoicesProps {
  readonly file: FileColumns
  readonly result: Result
  readonly reading: Reading
  /** Reads the file again in another way. */
  readonly onFileChoice: (choice: FileChoice) => void
}

/** What the file leaves open is asked for. */
export function FileChoices({ file, result, reading, onFileChoice }: FileChoicesProps) {
  const { sheet, encoding, notes } = result
  const isUncertain = encoding !== null && encoding.candidates.length > 0
  const header = notes.find(({ kind }) => kind === 'header')
  return (
    <>
      {isUncertain && (
        <Alert color="amber" role="note">
          The letters of this file make sense in several encodings. Choose the one in which the words below are right.
        </Alert>
      )}
      <SimpleGrid minColWidth="12rem" autoFlow="auto-fill">
        {sheet !== null && sheet.sheets.length > 1 && (
          <NativeSelect
            label="Sheet"
            data={[...sheet.sheets]}
            value={reading.sheet ?? sheet.name}
            // Another sheet has another header.
            onChange={({ currentTarget }) => onFileChoice({ sheet: currentTarget.value })}
          />
        )}
        {encoding !== null && (encoding.isGuessed || reading.encoding !== undefined) && (
          <EncodingChoice
            encoding={encoding}
            chosen={reading.encoding}
            onChoose={(chosen) => onFileChoice({ ...reading, encoding: chosen })}
          />
        )}
        {file.delimiter !== null && (
          <HeaderChoice
            headerLine={reading.headerLine === undefined ? file.headerLine : reading.headerLine}
            onChoose={(headerLine) => onFileChoice({ ...reading, headerLine })}
          />
        )}
      </SimpleGrid>
      {header !== undefined && <Text className="breaks">{header.message}</Text>}
    </>
  )
}

interface EncodingChoiceProps {
  readonly encoding: NonNullable<Result['encoding']>
  readonly chosen: Encoding | undefined
  readonly onChoose: (encoding: Encoding) => void
}

function EncodingChoice({ encoding: { name: found, isGuessed, candidates }, chosen, onChoose }: EncodingChoiceProps) {
  const isUncertain = candidates.length > 0
  const examples = new Map(candidates.map(({ name, example }) => [name, example]))
  const offered = encodingNames.filter(([name]) => !isUncertain || examples.has(name))
  return (
    <NativeSelect
      label="Encoding"
      description={isGuessed && !isUncertain ? 'Guessed from the letters' : undefined}
      inputWrapperOrder={['label', 'input', 'description']}
      value={chosen ?? (isUncertain ? '' : found)}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as Encoding)}
    >
      {isUncertain && <option value="">Choose the encoding</option>}
      {offered.map(([name, label]) => (
        <option key={name} value={name}>
          {examples.has(name) ? `${examples.get(name)}: ${label}` : label}
        </option>
      ))}
    </NativeSelect>
  )
}

/** The lines to choose from, at least. */
const offeredLines = 10

interface HeaderChoiceProps {
  readonly headerLine: number | null
  readonly onChoose: (headerLine: number | null) => void
}

function HeaderChoice({ headerLine, onChoose }: HeaderChoiceProps) {
  const lines = Array.from({ length: Math.max(offeredLines, headerLine ?? 0) }, (_, index) => String(index + 1))
  return (
    <NativeSelect
      label="Names of the columns"
      data={[
        ...lines.map((line) => ({ value: line, label: `in line ${line}` })),
        { value: '', label: 'nowhere: each line is an animal' },
      ]}
      value={headerLine ?? ''}
      onChange={({ currentTarget: { value } }) => onChoose(value === '' ? null : Number(value))}
    />
  )
}
