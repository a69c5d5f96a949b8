/**
 * A log in files of limited size: `FILE` is the newest, `FILE.1` the one before. The file is opened for each piece of
 * text, so that nothing is written to a file that was moved or deleted.
 */

import { appendFileSync, existsSync, statSync } from 'node:fs'
import { appendFile, rename } from 'node:fs/promises'
import { maximumWaiting } from './bounded-output.ts'
import { AppError } from './error.ts'
import { systemReason } from './system-error.ts'

export interface LogFileOptions {
  /** A file is followed by a new one when it has this size. */
  readonly fileBytes: number
  /** How many files are kept, the newest included. */
  readonly files: number
}

const usual: LogFileOptions = { fileBytes: 10 * 1024 * 1024, files: 5 }

/**
 * Returns a function that adds text to the file, in the background and in order. It returns false for text that it
 * drops, because too much waits for the disk; text that cannot be written is lost. Throws `storage_unavailable` if
 * the file can't be written now.
 */
export function openLogFile(path: string, { fileBytes, files }: LogFileOptions = usual): (text: string) => boolean {
  try {
    appendFileSync(path, '', { mode: 0o600 })
  } catch (cause) {
    throw new AppError('storage_unavailable', `The log file ${path} can't be written: ${systemReason(cause)}.`, {
      cause,
    })
  }
  let waiting = ''
  let isWriting = false

  async function writeWaiting(): Promise<void> {
    isWriting = true
    while (waiting !== '') {
      const text = waiting
      waiting = ''
      try {
        await appendFile(path, text, { mode: 0o600 })
        if (statSync(path).size >= fileBytes) await rotate()
      } catch {
        // The service continues without a log that can't be written.
      }
    }
    isWriting = false
  }

  async function rotate(): Promise<void> {
    for (let number = files - 1; number > 0; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`
      if (existsSync(from)) await rename(from, `${path}.${number}`)
    }
  }

  return (text) => {
    if (waiting.length + text.length > maximumWaiting) return false
    waiting += text
    if (!isWriting) void writeWaiting()
    return true
  }
}
