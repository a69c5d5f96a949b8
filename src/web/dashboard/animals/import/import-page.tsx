/** Imports animals from a file: choose it, match its columns, see what will happen, and import. */

import { Button } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Schemas } from '../../api/client.ts'
import { invalidateTopics } from '../../api/queries.ts'
import { isCancelled, upload } from '../../api/upload.ts'
import { FormError } from '../../ui/feedback/confirm.tsx'
import { showDone, showFailure } from '../../ui/feedback/notices.ts'
import { useIsShown } from '../../ui/feedback/use-is-shown.ts'
import { isolated } from '../../ui/format.ts'
import { Page, Section } from '../../ui/page.tsx'
import { ChooseFile } from './choose-file.tsx'
import { Imports } from './imports.tsx'
import { MatchColumns } from './match-columns.tsx'
import { ImportProgress } from './progress.tsx'
import { type ChosenFile, guessMapping, type Mapping, uploadOf, withHeader } from './read-file.ts'
import { Checked, Finished, importedWords } from './result.tsx'
import './import.css'

type Result = Schemas['ImportResult']

type Step =
  | { readonly kind: 'choose' }
  | { readonly kind: 'match' }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'checked' | 'finished'; readonly result: Result }

const noMapping: Mapping = { name: undefined, category: undefined, status: undefined }

export function ImportPage() {
  const [step, setStep] = useState<Step>({ kind: 'choose' })
  const [chosen, setChosen] = useState<ChosenFile>()
  const [mapping, setMapping] = useState<Mapping>(noMapping)
  const [error, setError] = useState<unknown>()
  const isShown = useIsShown()

  function choose(file: ChosenFile): void {
    setError(undefined)
    read(file)
    if (file.table === undefined) void send(file, noMapping, true)
    else setStep({ kind: 'match' })
  }

  function read(file: ChosenFile): void {
    setChosen(file)
    setMapping(file.table === undefined ? noMapping : guessMapping(file.table))
  }

  async function send(file: ChosenFile, columns: Mapping, isDry: boolean, skipInvalid = false): Promise<void> {
    setError(undefined)
    setStep({ kind: 'busy', text: isDry ? 'Checking the file…' : 'Importing…' })
    try {
      const body = uploadOf(file, columns)
      const query = new URLSearchParams({
        dryRun: String(isDry),
        skipInvalid: String(skipInvalid || isDry),
        fileName: file.fileName.slice(0, 255),
      })
      const result = await upload<Result>(`/imports?${query}`, body, body.type)
      setStep({ kind: isDry ? 'checked' : 'finished', result })
      if (!isDry && !isShown()) showDone(`${isolated(file.fileName)}: ${importedWords(result)}`)
      if (!isDry) await invalidateTopics(['pets', 'imports', 'categories'])
    } catch (failure) {
      if (!isCancelled(failure)) setError(failure)
      if (!isDry && !isShown()) showFailure(failure, `The import of ${isolated(file.fileName)} failed`)
      setStep({ kind: file.table === undefined ? 'choose' : 'match' })
    }
  }

  function reset(): void {
    setChosen(undefined)
    setError(undefined)
    setStep({ kind: 'choose' })
  }

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
      <Section title={chosen === undefined ? 'Choose a file' : chosen.fileName}>
        {error !== undefined && <FormError error={error} />}
        {step.kind === 'choose' && <ChooseFile onChoose={choose} />}
        {step.kind === 'match' && chosen?.table !== undefined && (
          <MatchColumns
            table={chosen.table}
            mapping={mapping}
            onChange={setMapping}
            hasHeader={chosen.hasHeader}
            onHeader={(hasHeader) => read(withHeader(chosen, hasHeader))}
            onBack={reset}
            onCheck={() => void send(chosen, mapping, true)}
          />
        )}
        {step.kind === 'busy' && <ImportProgress text={step.text} />}
        {step.kind === 'checked' && chosen !== undefined && (
          <Checked
            chosen={chosen}
            mapping={mapping}
            result={step.result}
            onBack={chosen.table === undefined ? reset : () => setStep({ kind: 'match' })}
            onImport={() => void send(chosen, mapping, false, step.result.skipped > 0)}
          />
        )}
        {step.kind === 'finished' && chosen !== undefined && (
          <Finished chosen={chosen} result={step.result} onAgain={reset} />
        )}
      </Section>
      <Imports />
    </Page>
  )
}
