/** The results of the trial and of the import. */

import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf, formatNumber } from '../../ui/format.ts'
import { petStates, statuses as petStatuses } from '../filters.ts'
import { categoriesQuery } from '../queries.ts'
import { Errors, UnreadValues, Unused, Words } from './check-words.tsx'
import { UndoImport } from './imports.tsx'
import { type FileColumns, isExport, type Reading, type Result, rejectsOf, type WordCount } from './mapping.ts'

const shownCategories = 10

interface CheckedProps {
  readonly fileName: string
  readonly file: FileColumns
  readonly result: Result
  readonly reading: Reading
  readonly onChange: (reading: Reading) => void
  /** The words to match: those of all checks of this file. */
  readonly words: MatchedWords
  /** Whether words were matched after the result was calculated. */
  readonly isStale: boolean
  readonly onCheck: () => void
  readonly onBack: () => void
  readonly onImport: () => void
}

export interface MatchedWords {
  readonly statuses: readonly WordCount[]
  readonly categories: readonly WordCount[]
}

/** The check in one line. */
export function checkedWords({ imported, changed, skipped }: Result): string {
  const change = changed > 0 ? `, ${formatNumber(changed)} to change` : ''
  const rest = skipped > 0 ? `, ${formatNumber(skipped)} ${skipped === 1 ? 'needs' : 'need'} fixing` : ''
  return `${countOf(imported, 'new animal')}${change}${rest}`
}

export function Checked(props: CheckedProps) {
  const { fileName, file, result, reading, onChange, words, isStale, onCheck, onBack, onImport } = props
  const { imported, changed, unchanged, alreadyThere, skipped, previousImportId, unusedColumns } = result
  const rows = imported + changed + unchanged + alreadyThere + skipped
  const { data: categories = [] } = useQuery(categoriesQuery)
  const names = categories.flatMap(({ name }) => name ?? [])
  return (
    <Stack>
      {rows > 0 && (
        <Text className="breaks">
          {countOf(rows, 'row')}.{' '}
          {alreadyThere + unchanged > 0 && `${formatNumber(alreadyThere + unchanged)} already there. `}
          <Unused columns={unusedColumns} />
        </Text>
      )}
      <Notes notes={result.notes} />
      {previousImportId !== null && (
        <Warning>This file was already imported. Importing it again adds all its animals a second time.</Warning>
      )}
      {previousImportId === null && alreadyThere + changed + unchanged === 0 && isExport(file) && (
        <Warning>
          This file is the export of a store. An import only adds animals: those that are already in your store will be
          there twice.
        </Warning>
      )}
      <NewCategories result={result} />
      {rows === 0 && <Warning>The file has no line with an animal.</Warning>}
      <Words
        legend={(count) => `What ${words.statuses.length === 1 ? 'does' : 'do'} ${count} for the status mean?`}
        noun="word"
        words={words.statuses}
        meanings={reading.statuses}
        onChange={(statuses) => onChange({ ...reading, statuses })}
        none="Unknown: needs fixing"
        options={petStatuses.map((status) => [status, petStates[status][0]])}
      />
      <Words
        legend={(count) => `${count} of the file: new, or one that you have?`}
        noun="category"
        plural="categories"
        words={words.categories}
        meanings={reading.categories}
        onChange={(meanings) => onChange({ ...reading, categories: meanings })}
        none="New category"
        options={names.map((name) => [name, name])}
      />
      <Errors result={result} />
      <UnreadValues result={result} />
      <RejectsNote result={result} />
      <Group justify="flex-end">
        {skipped > 0 && <DownloadRejects fileName={fileName} file={file} errors={result.errors} />}
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        {isStale ? (
          <Button onClick={onCheck}>Check again</Button>
        ) : (
          <Button disabled={imported + changed === 0} onClick={onImport}>
            {actionOf(result)}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function actionOf({ imported, changed }: Result): string {
  if (imported + changed === 0) return 'Nothing to import'
  const change = `hange ${countOf(changed, 'animal')}`
  if (imported === 0) return `C${change}`
  return `Import ${countOf(imported, 'animal')}${changed > 0 ? ` and c${change}` : ''}`
}

/** The notes of the server that need no choice here. */
const shownNotes = ['already_there', 'status_words', 'repeated_numbers', 'quantity', 'left_out', 'totals']

function Notes({ notes }: Pick<Result, 'notes'>) {
  const shown = notes.filter(({ kind }) => shownNotes.includes(kind))
  if (shown.length === 0) return null
  return (
    <Box component="ul" m={0} ps="md" className="breaks" aria-label="How the file is read">
      {shown.map(({ message }) => (
        <li key={message}>{message}</li>
      ))}
    </Box>
  )
}

/** The categories that the import adds, and those that have no name. */
function NewCategories({ result: { newCategories, unnamedCategories } }: { readonly result: Result }) {
  return (
    <>
      {newCategories.length > 0 && (
        <Text className="breaks">
          {newCategories.length === 1 ? 'This category is' : 'These categories are'} new and will be added:{' '}
          <strong>{newCategories.slice(0, shownCategories).join(', ')}</strong>
          {newCategories.length > shownCategories && ' and more'}.
        </Text>
      )}
      {unnamedCategories.length > 0 && (
        <Warning>
          No category has {unnamedCategories.length === 1 ? 'the number' : 'the numbers'}{' '}
          <strong>{unnamedCategories.slice(0, shownCategories).join(', ')}</strong>
          {unnamedCategories.length > shownCategories && ' and more'}. Animals with such a number are in a category
          without a name.
        </Warning>
      )}
    </>
  )
}

/** The result of an import in one sentence. */
export function importedWords({ imported, changed, skipped }: Result): string {
  const change = changed > 0 ? `, ${formatNumber(changed)} changed` : ''
  const rest = skipped > 0 ? `, ${formatNumber(skipped)} left out` : ''
  return `${countOf(imported, 'animal')} imported${change}${rest}.`
}

interface FinishedProps {
  readonly fileName: string
  /** The preceding check, which has the rows that were left out. */
  readonly check: { readonly file: FileColumns; readonly result: Result }
  readonly result: Result
  readonly onAgain: () => void
}

export function Finished({ fileName, check, result, onAgain }: FinishedProps) {
  return (
    <Stack>
      <RejectsNote result={check.result} />
      <Group>
        <Button component={Link} href="/animals">
          Show animals
        </Button>
        {result.skipped > 0 && <DownloadRejects fileName={fileName} file={check.file} errors={check.result.errors} />}
        {result.id !== null && <UndoImport id={result.id} fileName={fileName} onUndone={onAgain} />}
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
    </Stack>
  )
}

function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="amber" role="note">
      {children}
    </Alert>
  )
}

/** The server lists a limited number of rows. */
function RejectsNote({ result: { errors, skipped } }: { readonly result: Result }) {
  if (errors.length >= skipped) return null
  return (
    <Warning>
      The download has the first {formatNumber(errors.length)} of the {formatNumber(skipped)} rows to fix.
    </Warning>
  )
}

interface DownloadRejectsProps {
  readonly fileName: string
  readonly file: FileColumns
  readonly errors: Result['errors']
}

function DownloadRejects({ fileName, file, errors }: DownloadRejectsProps) {
  function download(): void {
    const url = URL.createObjectURL(new Blob(['\ufeff', rejectsOf(file, errors)], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `to-fix-${fileName}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={download}>
      Download rows to fix
    </Button>
  )
}
