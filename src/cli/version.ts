/** `petstore version`. */

import { version as current } from '../lib/version.ts'
import type { Command, Invocation } from './command.ts'

export const version: Command = {
  name: 'version',
  isLocal: true,
  summary: 'print the version',
  examples: ['version', 'version --json'],
  run({ values, terminal }: Invocation) {
    terminal.out(values['json'] ? `${JSON.stringify({ version: current })}\n` : `petstore ${current}\n`)
    return 0
  },
}
