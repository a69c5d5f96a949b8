/** The field in which a file is dropped or chosen. */

import { Button, Text } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Drop, DropProblem, FileInput } from '../../ui/drop.tsx'

const largestFile = 100 * 2 ** 20

export interface ChosenFile {
  readonly file: File
  /** Whether it has a JSON object on each line; otherwise it is CSV. */
  readonly isNdjson: boolean
}

interface ChooseFileProps {
  /** Why the server rejected the previous file. */
  readonly problem: string | undefined
  readonly onChoose: (file: ChosenFile) => void
}

export function ChooseFile({ problem: rejection, onChoose }: ChooseFileProps) {
  const [ownProblem, setProblem] = useState<string>()
  const problem = ownProblem ?? rejection
  const input = useRef<HTMLInputElement>(null)

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return
    setProblem(problemOf(file))
    if (problemOf(file) !== undefined) return
    try {
      // A dropped folder cannot be read.
      const start = await file.slice(0, 100).text()
      onChoose({ file, isNdjson: /\.(ndjson|jsonl)$/i.test(file.name) || start.trimStart().startsWith('{') })
    } catch {
      setProblem('This file cannot be read. Choose the file itself, not its folder.')
    }
  }

  return (
    <Drop onDrop={({ files }) => void take(files[0])}>
      <IconFileSpreadsheet size={36} aria-hidden="true" />
      <Text fz="1.05rem" fw={650} className="drop-mouse">
        Drop the file with your animals here
      </Text>
      <Text fz="1.05rem" fw={650} className="drop-touch">
        Choose the file with your animals
      </Text>
      <Text size="sm" c="dimmed">
        A .csv file, or .ndjson for programs.
      </Text>
      <Button mt="xs" onClick={() => input.current?.click()}>
        Choose file
      </Button>
      {problem !== undefined && <DropProblem>{problem}</DropProblem>}
      <FileInput
        ref={input}
        label="File with animals"
        accept=".csv,.txt,.tsv,.ndjson,.jsonl,text/csv,text/plain"
        onChoose={(files) => void take(files[0])}
      />
    </Drop>
  )
}

function problemOf({ name, size }: File): string | undefined {
  if (/\.(xlsx?|ods|numbers)$/i.test(name)) {
    return 'This is a spreadsheet file. Open it, choose "Save as" or "Export", and save it as CSV.'
  }
  if (size > largestFile) return 'This file is larger than 100 MB. Split it into several files.'
  return size === 0 ? 'This file is empty. Choose another one.' : undefined
}
