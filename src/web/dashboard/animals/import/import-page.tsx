/** Imports animals from a file: choose it, match its columns, check it, and import. The server reads the file. */

import { Button, Group, Loader, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { refreshShown } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import { useIsShown } from '../../ui/change.tsx'
import { FormError } from '../../ui/form.tsx'
import { isolated } from '../../ui/format.ts'
import { showDone, showFailure } from '../../ui/notices.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ChooseFile, type ChosenFile } from './choose-file.tsx'
import { Imports } from './imports.tsx'
import { type FileColumns, guessedReading, parametersOf, type Reading, type Result } from './mapping.ts'
import { MatchColumns } from './match-columns.tsx'
import { fileProblem } from './problems.ts'
import { Checked, Finished, importedWords } from './result.tsx'

/** A file that the server has read: its columns, and the result of a trial import. */
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
  /** How to read the file. It differs from the one in `check` if it was changed since. */
  const [reading, setReading] = useState<Reading>()
  const [isReading, setIsReading] = useState(false)
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()

  /**
   * Does the work that leads to the next step. After a failure, shows the step `before` with the error, or the message `failed`
   * if the page was left.
   */
  async function attempt(text: string, before: Step, work: () => Promise<Step>, failed?: string): Promise<void> {
    setError(undefined)
    setStep({ kind: 'busy', text })
    try {
      setStep(await work())
    } catch (failure) {
      setError(failure)
      setStep(before)
      if (failed !== undefined && !isShown()) showFailure(failure, failed)
    }
  }

  function send({ file, isNdjson }: ChosenFile, parameters: Record<string, string>): Promise<Result> {
    const query = new URLSearchParams({ ...parameters, fileName: file.name.slice(0, 255) })
    return upload<Result>(`/imports?${query}`, file, isNdjson ? 'application/x-ndjson' : 'text/csv')
  }

  /** Makes the server read the file, and shows the result. */
  async function examine(file: ChosenFile, how: Record<string, string>, known?: Reading): Promise<void> {
    const result = await send(file, { dryRun: 'true', skipInvalid: 'true', ...how })
    if (result.file === null) throw new Error('The trial did not return the columns of the file.')
    const next = known ?? guessedReading(result.file)
    setCheck({ file: result.file, reading: next, result })
    setReading(next)
  }

  const choose = (file: ChosenFile) =>
    attempt('Reading the file…', { kind: 'choose' }, async () => {
      setChosen(file)
      await examine(file, {})
      return { kind: file.isNdjson ? 'checked' : 'match' }
    })

  async function readHeader(file: ChosenFile, hasHeader: boolean): Promise<void> {
    setError(undefined)
    setIsReading(true)
    await examine(file, { hasHeader: String(hasHeader) }).catch(setError)
    setIsReading(false)
  }

  const checkAgain = (file: ChosenFile, before: Check, next: Reading) =>
    attempt('Checking the file…', { kind: 'match' }, async () => {
      if (next !== before.reading) await examine(file, parametersOf(before.file, next), next)
      return { kind: 'checked' }
    })

  function importFile(file: ChosenFile, { file: columns, reading: how, result: checked }: Check): Promise<void> {
    const name = isolated(file.file.name)
    const work = async (): Promise<Step> => {
      const parameters = file.isNdjson ? {} : parametersOf(columns, how)
      const result = await send(file, { dryRun: 'false', skipInvalid: String(checked.skipped > 0), ...parameters })
      if (!isShown()) showDone(`${name}: ${importedWords(result)}`)
      void refreshShown()
      return { kind: 'finished', result }
    }
    return attempt('Adding…', { kind: 'checked' }, work, `The import of ${name} failed`)
  }

  function reset(): void {
    setError(undefined)
    setStep({ kind: 'choose' })
  }

  const problem = step.kind === 'choose' ? fileProblem(error) : undefined
  return (
    <Page
      title="Import animals"
      lead="From a spreadsheet or another program: a CSV file with one line for each animal."
      actions={
        <Button component={Link} href="/animals" variant="default" leftSection={<IconArrowLeft size={16} />}>
          Animals
        </Button>
      }
    >
      <Section title={chosen === undefined || step.kind === 'choose' ? 'Choose a file' : chosen.file.name}>
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
        {step.kind === 'busy' && <Busy text={step.text} />}
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

function Busy({ text }: { readonly text: string }) {
  return (
    <Group role="status">
      <Loader size="sm" />
      <Text>{text}</Text>
    </Group>
  )
}
