/** Command lines to paste. */

import { storeConfig } from '../../config/config.ts'
import { text } from '../../config/values.ts'
import { shellWord, storeOptions } from '../../lib/shell-words.ts'
import type { Invocation } from '../command.ts'

/** `command` with the options for the store of this invocation, to paste into a shell in the same directory. */
export function onStore({ values, remote }: Pick<Invocation, 'values' | 'remote'>, command: string): string {
  const url = text(values, 'url')
  if (remote) return url === undefined ? command : `${command} --url ${shellWord(url)}`
  return `${command}${storeOptions(storeConfig(values))}`
}
