/** Imports animals from a file: choose it, match its columns, check it, and import. The server reads the file. */

import { Alert, Loader } from '@mantine/core'
import { useRef, useState } from 'react'
import { refreshShown } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import { useIsShown } from '../../ui/change.tsx'
import { FormError } from '../../ui/form.tsx'
import { isolated } from '../../ui/format.ts'
import { showDone, showFailure } from '../../ui/notices.tsx'
import { BackLink, Page, Section } from '../../ui/page.tsx'
import { type Currency, CurrencyField, currencyOf, setCurrency, useCurrency } from '../currency.tsx'
import { ChooseFile } from './choose-file.tsx'
import { Imports } from './imports.tsx'
import {
  type FileChoice,
  type FileColumns,
  fileParameters,
  guessedReading,
  newCategoryWords,
  parametersOf,
  type Reading,
  type Result,
  readingAfter,
  type WordCount,
  wordsAfter,
} from './mapping.ts'
import { MatchColumns } from './match-columns.tsx'
import { fileProblem } from './problems.ts'
import { Checked, checkedWords, Finished, importedWords, type MatchedWords } from './result.tsx'

/** A file that the server has read: its columns, and the result of a trial import. */
interface Trial {
  readonly file: FileColumns
  readonly result: Result
}

interface Check extends Trial {
  readonly reading: Reading
  readonly words: MatchedWords
}

type Step =
  | { readonly kind: 'choose' | 'match' | 'checked' }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'finished'; readonly result: Result }

export function ImportPage() {
  const [step, setStep] = useState<Step>({ kind: 'choose' })
  const [chosen, setChosen] = useState<File>()
  /** The names of files that were dropped together with the chosen one. */
  const [others, setOthers] = useState<readonly string[]>([])
  const [check, setCheck] = useState<Check>()
  /** How to read the file. It differs from the one in `check` if it was changed since. */
  const [reading, setReading] = useState<Reading>()
  const [isReading, setIsReading] = useState(false)
  /** The number of the latest choice of how to read the file; the results of earlier ones are not shown. */
  const latest = useRef(0)
  const [error, setError] = useState<unknown>()
  const storeCurrency = useCurrency()
  const [currency, setPriceCurrency] = useState<string>(() => currencyOf(navigator.language))
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

  function send(file: File, parameters: Record<string, string>): Promise<Result> {
    const query = new URLSearchParams({ ...parameters, fileName: file.name.slice(0, 255) })
    // The server finds out the format.
    return upload<Result>(`/imports?${query}`, file, 'application/octet-stream')
  }

  /** Makes the server read the file, without importing it. */
  async function examine(file: File, how: Record<string, string>): Promise<Trial> {
    const result = await send(file, { dryRun: 'true', skipInvalid: 'true', ...how })
    if (result.file === null) throw new Error('The trial did not return the columns of the file.')
    return { file: result.file, result }
  }

  /** Shows a trial. Of the words `before`, those of a column that is used still stay where they are. */
  function show({ file, result }: Trial, used: Reading, before?: Check): void {
    const kept = (target: 'status' | 'category', words: readonly WordCount[] = []) =>
      before?.reading.mapping[target] === used.mapping[target] ? words : []
    const words = {
      statuses: wordsAfter(kept('status', before?.words.statuses), file.unknownStatuses),
      categories: wordsAfter(kept('category', before?.words.categories), newCategoryWords(result, file)),
    }
    setCheck({ file, result, reading: used, words })
    setReading(used)
  }

  const choose = (file: File, droppedWithIt: readonly string[]) =>
    attempt('Reading the file…', { kind: 'choose' }, async () => {
      setChosen(file)
      setOthers(droppedWithIt)
      const trial = await examine(file, {})
      show(trial, guessedReading(trial.file))
      return { kind: 'match' }
    })

  /** Reads the file in another way. The choices that were made by hand stay, as far as there are such columns. */
  async function readAgain(file: File, before: Check, now: Reading, choice: FileChoice): Promise<void> {
    const number = ++latest.current
    setError(undefined)
    setIsReading(true)
    setReading({ ...now, ...choice })
    try {
      const trial = await examine(file, fileParameters(choice))
      if (number !== latest.current) return
      show(trial, guessedReading(trial.file, choice))
      setReading(readingAfter({ file: before.file, reading: now }, trial.file, choice))
    } catch (failure) {
      if (number !== latest.current) return
      setError(failure)
      const { encoding, sheet, headerLine } = before.reading
      setReading({ ...now, encoding, sheet, headerLine })
    }
    setIsReading(false)
  }

  /** Prices are read once the store has a currency. */
  const needsCurrency = ({ mapping }: Reading) => storeCurrency === null && Boolean(mapping.price)

  const checkAgain = (file: File, before: Check, next: Reading) =>
    attempt('Checking the file…', { kind: 'match' }, async () => {
      const isFirstPrice = needsCurrency(next)
      if (isFirstPrice) await setCurrency(currency as Currency)
      if (isFirstPrice || next !== before.reading)
        show(await examine(file, parametersOf(before.file, next)), next, before)
      return { kind: 'checked' }
    })

  function importFile(file: File, { file: columns, reading: how, result: checked }: Check): Promise<void> {
    const name = isolated(file.name)
    const work = async (): Promise<Step> => {
      const parameters = parametersOf(columns, how)
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
      lead="From a spreadsheet or another program: a list with one row for each animal."
      actions={<BackLink href="/animals">Animals</BackLink>}
    >
      <Section title={titleOf(step, check?.result)} lead={step.kind === 'choose' ? undefined : chosen?.name} isStep>
        {error !== undefined && problem === undefined && <FormError error={error} />}
        {step.kind === 'choose' && (
          <ChooseFile problem={problem} onChoose={(file, droppedWithIt) => void choose(file, droppedWithIt)} />
        )}
        {step.kind === 'match' && chosen !== undefined && check !== undefined && reading !== undefined && (
          <>
            {others.length > 0 && (
              <Alert color="amber" role="note" mb="md" className="breaks">
                Only {isolated(chosen.name)} is imported. Choose {others.map(isolated).join(', ')} afterwards.
              </Alert>
            )}
            <MatchColumns
              file={check.file}
              result={check.result}
              reading={reading}
              onChange={setReading}
              currencyField={
                needsCurrency(reading) && (
                  <CurrencyField
                    label="Currency of the prices"
                    maw="20rem"
                    value={currency}
                    onChange={({ currentTarget }) => setPriceCurrency(currentTarget.value)}
                  />
                )
              }
              isReading={isReading}
              onFileChoice={(choice) => void readAgain(chosen, check, reading, choice)}
              onBack={reset}
              onCheck={() => void checkAgain(chosen, check, reading)}
            />
          </>
        )}
        {step.kind === 'busy' && <Loader size="sm" />}
        {step.kind === 'checked' && chosen !== undefined && check !== undefined && reading !== undefined && (
          <Checked
            fileName={chosen.name}
            file={check.file}
            result={check.result}
            words={check.words}
            reading={reading}
            onChange={setReading}
            isStale={reading !== check.reading}
            onCheck={() => void checkAgain(chosen, check, reading)}
            onBack={() => setStep({ kind: 'match' })}
            onImport={() => void importFile(chosen, check)}
          />
        )}
        {step.kind === 'finished' && chosen !== undefined && check !== undefined && (
          <Finished fileName={chosen.name} check={check} result={step.result} onAgain={reset} />
        )}
      </Section>
      <Imports />
    </Page>
  )
}

function titleOf(step: Step, checked: Result | undefined): string {
  if (step.kind === 'choose') return 'Choose a file'
  if (step.kind === 'match') return 'What does each column contain?'
  if (step.kind === 'busy') return step.text
  if (step.kind === 'finished') return importedWords(step.result)
  return checked === undefined ? '' : checkedWords(checked)
}
