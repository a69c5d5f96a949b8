/** Words of command lines for bash and zsh, and command lines to paste. */

import { resolve } from 'node:path'
import { type StoreConfig, storeConfig } from '../../config/config.ts'
import { text } from '../../config/values.ts'
import type { Environment } from '../../lib/environment.ts'
import type { Invocation } from '../command.ts'

/** A text in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A text as one word to paste: in quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : quoted(text)
}

/** `command` with the options for the store of this invocation, to paste into a shell in the same directory. */
export function onStore({ values, remote }: Pick<Invocation, 'values' | 'remote'>, command: string): string {
  const url = text(values, 'url')
  if (remote) return url === undefined ? command : `${command} --url ${shellWord(url)}`
  return `${command}${storeOptions(storeConfig(values))}`
}

/** The options that a command needs for a store in the same directory of the shell, each with a space before it. */
export function storeOptions({ dataDirectory, environment }: StoreConfig): string {
  const data = dataDirectory === resolve('data') ? '' : ` --data ${shellWord(dataDirectory)}`
  return `${data}${environmentOption(environment)}`
}

/** The option that a command needs for an environment, with a space before it; empty for production. */
export const environmentOption = (environment: Environment): string =>
  environment === 'production' ? '' : ` --environment ${environment}`
