/** `petstore domains checker`: the process that checks names for a server. The server starts it; no help lists it. */

import { UsageError } from '../config/values.ts'
import { checkerCommand, messageVersion } from '../dns/checker/messages.ts'
import { giveWay } from '../dns/checker/scheduling.ts'
import { serveChecks } from '../dns/checker/serve.ts'
import type { Command } from './command.ts'

export const domainsChecker: Command = {
  name: checkerCommand,
  summary: 'check names for a server',
  operands: 'VERSION',
  arity: [1, 1],
  examples: [`${checkerCommand} ${messageVersion}`, `${checkerCommand} ${messageVersion}`],
  async run({ positionals, terminal }) {
    if (positionals[0] !== messageVersion) throw new UsageError('The service starts this command itself.')
    // A signal to the group of the server reaches this process too. The server ends it when it needs it no more.
    terminal.onStop(() => {})
    await giveWay()
    await serveChecks(terminal.input(), terminal.out)
    return 0
  },
}
