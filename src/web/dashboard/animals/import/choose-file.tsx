/** The field in which a file is dropped or chosen. */

import { Alert, Button, Text } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Drop, FileInput } from '../../ui/drop.tsx'
import { Quiet } from '../../ui/small.ts'

const largestFile = 100 * 2 ** 20

interface ChooseFileProps {
  /** Why the server rejected the previous file. */
  readonly problem: string | undefined
  /** Gets a file, and the names of others that were dropped with it. */
  readonly onChoose: (file: File, others: readonly string[]) => void
}

export function ChooseFile({ problem: rejection, onChoose }: ChooseFileProps) {
  const [ownProblem, setProblem] = useState<string>()
  const problem = ownProblem ?? rejection
  const input = useRef<HTMLInputElement>(null)

  async function take([file, ...others]: readonly File[]): Promise<void> {
    if (file === undefined) return
    setProblem(problemOf(file))
    if (problemOf(file) !== undefined) return
    try {
      // A dropped folder cannot be read.
      await file.slice(0, 1).text()
      onChoose(
        file,
        others.map(({ name }) => name),
      )
    } catch {
      setProblem('This file cannot be read. Choose the file itself, not its folder.')
    }
  }

  return (
    <Drop onDrop={({ files }) => void take([...files])}>
      <IconFileSpreadsheet size={36} aria-hidden="true" />
      <Text fz="1.05rem" fw={650} className="drop-mouse">
        Drop the file with your animals here
      </Text>
      <Text fz="1.05rem" fw={650} className="drop-touch">
        Choose the file with your animals
      </Text>
      <Quiet>A spreadsheet (.xlsx, .ods, .xls), a .csv file, or .json for programs.</Quiet>
      <Button mt="xs" onClick={() => input.current?.click()}>
        Choose file
      </Button>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <FileInput
        ref={input}
        label="File with animals"
        accept=".xlsx,.xls,.ods,.csv,.txt,.tsv,.ndjson,.jsonl,.json,text/csv,text/plain"
        onChoose={(files) => void take([...files])}
      />
    </Drop>
  )
}

function problemOf({ name, size }: File): string | undefined {
  if (/\.numbers$/i.test(name))
    return 'This is a file of Numbers. Open it, choose "Export to", and save it as Excel or CSV.'
  if (size > largestFile) return 'This file is larger than 100 MB. Split it into several files.'
  return size === 0 ? 'This file is empty. Choose another one.' : undefined
}
