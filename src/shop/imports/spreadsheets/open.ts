/** Opens a spreadsheet that arrives, as the text of a CSV file. */

import { saveUpload } from '../../../lib/contents/save-upload.ts'
import type { ContentStore } from '../../../lib/contents/store.ts'
import { AppError } from '../../../lib/error.ts'
import type { Log } from '../../../lib/log.ts'
import { createSlots } from '../../../lib/slots.ts'
import { SubprocessEnded, type Subprocesses } from '../../../lib/subprocess.ts'
import { InvalidFile, type SpreadsheetReader } from '../check.ts'
import type { ReadSheet, SpreadsheetTask } from './read.ts'

/** How long a spreadsheet may take, in milliseconds, and the memory that it may need, in bytes. */
const longestReadingMs = 60_000
const maximumMemoryBytes = 2 ** 30

interface SpreadsheetParts {
  readonly files: Pick<ContentStore, 'begin'>
  readonly subprocesses: Pick<Subprocesses, 'run'>
  readonly log: Pick<Log, 'warn'>
}

/** Spreadsheets are read one at a time. */
export function createSpreadsheets({ files, subprocesses, log }: SpreadsheetParts): SpreadsheetReader {
  const slots = createSlots<'spreadsheets'>(1, 1)

  async function run(task: SpreadsheetTask): Promise<ReadSheet> {
    try {
      const limits = { silentMs: longestReadingMs, memoryBytes: maximumMemoryBytes, inBackground: true }
      return await subprocesses.run('read-spreadsheet', task, limits)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_body') throw new InvalidFile(error.message)
      if (!(error instanceof SubprocessEnded)) throw error
      log.warn('a spreadsheet could not be read', { error })
      throw new InvalidFile(`the spreadsheet can't be read (${error.message}): save it as CSV`)
    }
  }

  return {
    async *open(chunks, sheet, onSheet) {
      const batch = files.begin()
      try {
        const { temporaryPath: upload, reserve } = batch
        await saveUpload(chunks, upload, reserve)
        const output = `${upload}.csv`
        onSheet(await slots.run('spreadsheets', () => run({ upload, output, sheet })))
        yield* Bun.file(output).stream()
      } finally {
        await batch.close()
      }
    },
  }
}
