/** Asks a person on a terminal, or reads the answer from a pipe. */

import type { ReadStream, WriteStream } from 'node:tty'

interface Streams {
  readonly input: ReadStream
  readonly output: WriteStream
}

interface AskOptions extends Streams {
  /** Ends the process, for Ctrl+C. */
  readonly interrupt: () => never
}

/** The first line of `input`. If that is a terminal, prints `question` to `output`. */
export async function askLine(question: string, { input, output }: Streams): Promise<string> {
  if (input.isTTY) output.write(question)
  let line = ''
  for await (const chunk of input) {
    line += String(chunk)
    if (line.includes('\n')) break
  }
  return line.split('\n', 1)[0] ?? ''
}

/**
 * The first line of `input`. If that is a terminal, prints `question` to `output`, and the terminal does not show the
 * line.
 */
export async function askSecret(question: string, { input, output, interrupt }: AskOptions): Promise<string> {
  if (!input.isTTY) return await askLine(question, { input, output })
  let line = ''
  // The terminal then shows nothing and leaves the editing of the line to the program.
  input.setRawMode(true)
  output.write(question)
  let wasInterrupted = false
  reading: for await (const chunk of input) {
    for (const key of String(chunk)) {
      wasInterrupted = key === '\x03'
      if (wasInterrupted || key === '\r' || key === '\n' || key === '\x04') break reading
      if (key === '\x7f' || key === '\b') line = line.slice(0, -1)
      else if (key === '\x15') line = ''
      else line += key
    }
  }
  input.setRawMode(false)
  output.write('\n')
  return wasInterrupted ? interrupt() : line
}
