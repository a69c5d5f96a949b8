/** Parts of command lines that somebody pastes into a shell. */

import { resolve } from 'node:path'
import type { Environment } from './environment.ts'

/** A text as one word to paste: in quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

interface StoreLocation {
  /** Absolute. */
  readonly dataDirectory: string
  readonly environment: Environment
}

/** The options that a command needs for a store in the same directory of the shell, each with a space before it. */
export function storeOptions({ dataDirectory, environment }: StoreLocation): string {
  const data = dataDirectory === resolve('data') ? '' : ` --data ${shellWord(dataDirectory)}`
  return `${data}${environmentOption(environment)}`
}

/** The option that a command needs for an environment, with a space before it; empty for production. */
export const environmentOption = (environment: Environment): string =>
  environment === 'production' ? '' : ` --environment ${environment}`
