/** The field for the file: it is dropped or chosen. */

import { Button } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { type DragEvent, useRef, useState } from 'react'
import '../../ui/drop.css'

const largestFile = 100 * 2 ** 20
const unreadable = 'This file cannot be read. Choose the file itself, not its folder.'

export interface ChosenFile {
  readonly file: File
  /** Whether it has a JSON object on each line; otherwise it is CSV. */
  readonly isNdjson: boolean
}

interface ChooseFileProps {
  /** Why the server has rejected the file that was chosen before. */
  readonly problem: string | undefined
  readonly onChoose: (file: ChosenFile) => void
}

export function ChooseFile({ problem: rejection, onChoose }: ChooseFileProps) {
  const [isOver, setOver] = useState(false)
  const [ownProblem, setProblem] = useState<string>()
  const problem = ownProblem ?? rejection
  const input = useRef<HTMLInputElement>(null)

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return
    setProblem(undefined)
    if (/\.(xlsx?|ods|numbers)$/i.test(file.name)) {
      setProblem('This is a spreadsheet itself. Open it, choose "Save as" or "Export", and save it as CSV.')
    } else if (file.size > largestFile) setProblem('This file is larger than 100 MB. Split it into several files.')
    else if (file.size === 0) setProblem('This file is empty. Choose another one.')
    else await read(file)
  }

  async function read(file: File): Promise<void> {
    try {
      // A folder that was dropped can't be read.
      const start = await file.slice(0, 100).text()
      onChoose({ file, isNdjson: /\.(ndjson|jsonl)$/i.test(file.name) || start.trimStart().startsWith('{') })
    } catch {
      setProblem(unreadable)
    }
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of its button
    <div
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <IconFileSpreadsheet size={36} aria-hidden="true" />
      <div className="drop-title drop-mouse">Drop the file with your animals here</div>
      <div className="drop-title drop-touch">Choose the file with your animals</div>
      <div className="quiet">A .csv file, or .ndjson for programs.</div>
      <div className="drop-buttons">
        <Button onClick={() => input.current?.click()}>Choose file</Button>
      </div>
      {problem !== undefined && (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        aria-label="File with animals"
        accept=".csv,.txt,.tsv,.ndjson,.jsonl,text/csv,text/plain"
        onChange={({ currentTarget }) => {
          void take(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
