/** Imports animals from a file: choose it, match its columns, see what will happen, and import. The server reads the file. */

import { Button } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { invalidateTopics } from '../../api/queries.ts'
import { isCancelled, upload } from '../../api/upload.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { isolated } from '../../ui/format.ts'
import { Page, Section } from '../../ui/page.tsx'
import { fileProblem } from './check/problems.ts'
import { ChooseFile, type ChosenFile } from './choose-file.tsx'
import { Imports } from './imports.tsx'
import { type FileColumns, guessedReading, parametersOf, type Reading, type Result } from './mapping.ts'
import { MatchColumns } from './match-columns.tsx'
import { ImportProgress } from './progress.tsx'
import { Checked, Finished, importedWords } from './result.tsx'
import './import.css'

/** A file that the server has read: its columns, and what it would import of it. */
interface Check {
  readonly file: FileColumns
  readonly reading: Reading
  readonly result: Result
}

type Step =
  | { readonly kind: 'choose' | 'match' | 'checked' }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'finished'; readonly result: Result }

export function ImportPage() {
  const [step, setStep] = useState<Step>({ kind: 'choose' })
  const [chosen, setChosen] = useState<ChosenFile>()
  const [check, setCheck] = useState<Check>()
  /** How the file is to be read: other than in `check` if it was changed since. */
  const [reading, setReading] = useState<Reading>()
  const [isReading, setIsReading] = useState(false)
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()

  async function send({ file, isNdjson }: ChosenFile, parameters: Record<string, string>): Promise<Result> {
    const query = new URLSearchParams({ ...parameters, fileName: file.name.slice(0, 255) })
    return upload<Result>(`/imports?${query}`, file, isNdjson ? 'application/x-ndjson' : 'text/csv')
  }

  /** Lets the server read the file, and returns what it has found; undefined if it can't. */
  async function examine(file: ChosenFile, how: Record<string, string>, known?: Reading): Promise<Check | undefined> {
    setError(undefined)
    try {
      const result = await send(file, { dryRun: 'true', skipInvalid: 'true', ...how })
      if (result.file === null) return undefined
      const examined = { file: result.file, reading: known ?? guessedReading(result.file), result }
      setCheck(examined)
      setReading(examined.reading)
      return examined
    } catch (failure) {
      if (!isCancelled(failure)) setError(failure)
      return undefined
    }
  }

  async function choose(file: ChosenFile): Promise<void> {
    setChosen(file)
    setStep({ kind: 'busy', text: 'Reading the file…' })
    const examined = await examine(file, {})
    if (examined) setStep({ kind: file.isNdjson ? 'checked' : 'match' })
    else {
      setChosen(undefined)
      setStep({ kind: 'choose' })
    }
  }

  async function readHeader(file: ChosenFile, hasHeader: boolean): Promise<void> {
    setIsReading(true)
    await examine(file, { hasHeader: String(hasHeader) })
    setIsReading(false)
  }

  async function checkAgain(file: ChosenFile, before: Check, next: Reading): Promise<void> {
    if (next !== before.reading) {
      setStep({ kind: 'busy', text: 'Checking the file…' })
      if (!(await examine(file, parametersOf(before.file, next), next))) return setStep({ kind: 'match' })
    }
    setStep({ kind: 'checked' })
  }

  async function importFile(file: ChosenFile, { file: columns, reading: how, result: checked }: Check): Promise<void> {
    setError(undefined)
    setStep({ kind: 'busy', text: 'Importing…' })
    const name = isolated(file.file.name)
    try {
      const parameters = file.isNdjson ? {} : parametersOf(columns, how)
      const result = await send(file, { dryRun: 'false', skipInvalid: String(checked.skipped > 0), ...parameters })
      setStep({ kind: 'finished', result })
      if (!isShown()) showDone(`${name}: ${importedWords(result)}`)
      await invalidateTopics(['pets', 'imports', 'categories'])
    } catch (failure) {
      if (!isCancelled(failure)) setError(failure)
      if (!isShown()) showFailure(failure, `The import of ${name} failed`)
      setStep({ kind: 'checked' })
    }
  }

  function reset(): void {
    setChosen(undefined)
    setCheck(undefined)
    setError(undefined)
    setStep({ kind: 'choose' })
  }

  const problem = step.kind === 'choose' ? fileProblem(error) : undefined
  return (
    <Page
      title="Import animals"
      lead="From a spreadsheet or another program: a CSV file with a line for each animal."
      width="narrow"
      actions={
        <Button component={Link} href="/animals" variant="default" leftSection={<IconArrowLeft size={16} />}>
          Animals
        </Button>
      }
    >
      <Section title={chosen === undefined ? 'Choose a file' : chosen.file.name}>
        {error !== undefined && problem === undefined && <FormError error={error} />}
        {step.kind === 'choose' && <ChooseFile problem={problem} onChoose={(file) => void choose(file)} />}
        {step.kind === 'match' && chosen !== undefined && check !== undefined && reading !== undefined && (
          <MatchColumns
            file={check.file}
            mapping={reading.mapping}
            onChange={(mapping) => setReading({ ...reading, mapping })}
            isReading={isReading}
            onHeader={(hasHeader) => void readHeader(chosen, hasHeader)}
            onBack={reset}
            onCheck={() => void checkAgain(chosen, check, reading)}
          />
        )}
        {step.kind === 'busy' && <ImportProgress text={step.text} />}
        {step.kind === 'checked' && chosen !== undefined && check !== undefined && reading !== undefined && (
          <Checked
            fileName={chosen.file.name}
            file={check.file}
            result={check.result}
            statuses={reading.statuses}
            onStatuses={(statuses) => setReading({ ...reading, statuses })}
            isStale={reading !== check.reading}
            onCheck={() => void checkAgain(chosen, check, reading)}
            onBack={chosen.isNdjson ? reset : () => setStep({ kind: 'match' })}
            onImport={() => void importFile(chosen, check)}
          />
        )}
        {step.kind === 'finished' && chosen !== undefined && check !== undefined && (
          <Finished fileName={chosen.file.name} check={check} result={step.result} onAgain={reset} />
        )}
      </Section>
      <Imports />
    </Page>
  )
}
