/** Runs commands in the process of the test. */

import type { Terminal } from '../command.ts'
import { run } from '../run.ts'

export interface TerminalOptions extends Partial<Pick<Terminal, 'write' | 'outColumns' | 'errColumns'>> {
  readonly stdin?: string
}

/** A terminal that keeps the output. */
export function testTerminal({ stdin = '', ...options }: TerminalOptions = {}) {
  const out: string[] = []
  const err: string[] = []
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    write: async (text) => void out.push(text),
    deliver: async (text) => void out.push(text),
    isNull: () => false,
    err: (text) => void err.push(text),
    outColumns: undefined,
    colours: false,
    errColumns: undefined,
    input: () => new Blob([stdin]).stream(),
    askSecret: async () => stdin,
    ask: async () => stdin,
    isRoot: false,
    pid: 1,
    usage: () => ({ residentBytes: 0, cpuSeconds: 0 }),
    onParentGone: () => Promise.resolve(),
    onStop: () => {},
    ...options,
  }
  return { terminal, out, err }
}

/** Runs a command line, without `petstore`. */
export async function runHere(args: readonly string[], options?: TerminalOptions) {
  const { terminal, out, err } = testTerminal(options)
  const code = await run([...args], {}, terminal)
  return { code, out: out.join(''), err: err.join('') }
}
