/** The results of the trial and of the import itself. */

import { Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Schemas } from '../../api/client.ts'
import { countOf, formatNumber } from '../../ui/format.ts'
import { Errors } from './check/errors.tsx'
import { problemWords } from './check/problems.ts'
import { Unused } from './check/unused.tsx'
import { type ChosenFile, isExport, type Mapping, rejectsOf, unusedColumns } from './read-file.ts'
import { UndoImport } from './undo-import.tsx'

type Result = Schemas['ImportResult']

const shownCategories = 10

interface CheckedProps {
  readonly chosen: ChosenFile
  readonly mapping: Mapping
  readonly result: Result
  readonly onBack: () => void
  readonly onImport: () => void
}

export function Checked({ chosen, mapping, result, onBack, onImport }: CheckedProps) {
  const { imported, skipped, previousImportId, newCategories } = result
  // The header of the sent file has other names than that of the chosen one.
  const unused = chosen.table === undefined ? result.unusedColumns : unusedColumns(chosen.table, mapping)
  return (
    <div className="import-step" role="status">
      <p className="import-lead">
        {countOf(imported, 'new animal')}
        {skipped > 0 && `, ${formatNumber(skipped)} ${skipped === 1 ? 'needs' : 'need'} fixing`}
      </p>
      {imported + skipped > 0 && (
        <p className="import-note">
          {countOf(imported + skipped, 'row')}. <Unused columns={unused} />
        </p>
      )}
      {previousImportId !== null && (
        <p className="import-warning">
          This very file was imported already. Importing it again adds all its animals twice.
        </p>
      )}
      {previousImportId === null && isExport(chosen) && (
        <p className="import-warning">
          This file comes from the export of a store. An import only adds animals and changes none: those that are in
          your store already will be there twice.
        </p>
      )}
      {newCategories.length > 0 && (
        <p className="import-note">
          {newCategories.length === 1 ? 'This category is' : 'These categories are'} new and will be added:{' '}
          <strong>{newCategories.slice(0, shownCategories).join(', ')}</strong>
          {newCategories.length > shownCategories && ' and more'}. If one is misspelt, correct it in the file first.
        </p>
      )}
      {imported + skipped === 0 && <p className="import-warning">The file has no line with an animal.</p>}
      <Errors chosen={chosen} mapping={mapping} result={result} />
      <RejectsNote result={result} />
      <Group justify="flex-end">
        {skipped > 0 && <DownloadRejects chosen={chosen} result={result} />}
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button disabled={imported === 0} onClick={onImport}>
          {imported === 0 ? 'Nothing to import' : `Import ${countOf(imported, 'animal')}`}
        </Button>
      </Group>
    </div>
  )
}

/** The result of an import in one sentence. */
export function importedWords({ imported, skipped }: Result): string {
  const rest = skipped > 0 ? `, ${formatNumber(skipped)} left out` : ''
  return `${countOf(imported, 'animal')} imported${rest}.`
}

interface FinishedProps {
  readonly chosen: ChosenFile
  readonly result: Result
  readonly onAgain: () => void
}

export function Finished({ chosen, result, onAgain }: FinishedProps) {
  return (
    <div className="import-step" role="status">
      <p className="import-lead">{importedWords(result)}</p>
      <RejectsNote result={result} />
      <Group>
        <Button component={Link} href="/animals">
          Show animals
        </Button>
        {result.skipped > 0 && <DownloadRejects chosen={chosen} result={result} />}
        {result.id !== null && <UndoImport id={result.id} fileName={chosen.fileName} onUndone={onAgain} />}
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
    </div>
  )
}

/** The server lists a limited number of rows. */
function RejectsNote({ result: { errors, skipped } }: { readonly result: Result }) {
  if (errors.length >= skipped) return null
  return (
    <p className="import-warning">
      The download has the first {formatNumber(errors.length)} of the {formatNumber(skipped)} rows to fix.
    </p>
  )
}

function DownloadRejects({ chosen, result }: { readonly chosen: ChosenFile; readonly result: Result }) {
  function download(): void {
    const errors = result.errors.map(({ line, message }) => ({ line, message: problemWords(message) }))
    const url = URL.createObjectURL(new Blob(['\ufeff', rejectsOf(chosen, errors)], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `to-fix-${chosen.fileName}`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} onClick={download}>
      Download rows to fix
    </Button>
  )
}
