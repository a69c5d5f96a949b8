/** `petstore service logs`: the log of the service, from the journal of the machine. */

import { storeConfig } from '../../config/config.ts'
import { text, UsageError, wholeNumber } from '../../config/values.ts'
import type { Command, Invocation } from '../command.ts'
import { getService } from './installed.ts'
import { runProgram } from './systemd.ts'

export const serviceLogs: Command = {
  name: 'service logs',
  isLocal: true,
  hasNoStore: true,
  summary: 'print the log of the service',
  details: 'The log is in the journal of the machine, which root and the group adm may read.',
  options: {
    lines: { type: 'string', value: 'N', help: 'how many of the last lines', default: '100' },
    follow: { type: 'boolean', help: 'print new lines until Ctrl+C', default: 'off' },
  },
  examples: ['service logs', 'service logs --lines 20 --follow'],
  async run({ values, terminal }: Invocation) {
    const { name } = getService(storeConfig(values).environment)
    const lines = wholeNumber('--lines', text(values, 'lines') ?? '100', 1, 1_000_000)
    const query = ['journalctl', '--no-pager', `--unit=${name}.service`, `--lines=${lines}`]
    if (values['json'] === true) {
      if (values['follow'] === true) throw new UsageError('--json prints one document: leave out --follow.')
      terminal.out(`${JSON.stringify(records(await runProgram(...query, '--output=json')))}\n`)
      return 0
    }
    const follow = values['follow'] === true ? ['--follow'] : []
    // It writes to the terminal itself, as long as it likes.
    const child = Bun.spawn([...query, '--output=short-iso', ...follow], { stdio: ['ignore', 'inherit', 'inherit'] })
    return (await child.exited) === 0 ? 0 : 1
  },
}

/** Lines of the journal, each a JSON document (systemd.journal-fields(7)). */
function records(output: string) {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { MESSAGE, __REALTIME_TIMESTAMP } = JSON.parse(line) as Record<string, unknown>
      // A message that is not valid UTF-8 is a list of bytes.
      const message = Array.isArray(MESSAGE) ? Buffer.from(MESSAGE as number[]).toString() : String(MESSAGE ?? '')
      return { time: new Date(Number(__REALTIME_TIMESTAMP) / 1000).toISOString(), message }
    })
}
