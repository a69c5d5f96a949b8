/** `petstore owner reset`: prints a new set-up link for the dashboard. */

import type { SetupLink } from '../../app/command-api.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { withClient } from '../client/client.ts'
import type { Command, Invocation } from '../command.ts'
import { assertShown, printOnce } from '../terminal/print-once.ts'
import { setupLines, setupWays } from './setup-link.ts'

export const ownerReset: Command = {
  name: 'owner reset',
  isLocal: true,
  summary: 'print a new set-up link for the dashboard',
  details:
    "For a forgotten password. It removes the owner's e-mail address and password, signs out every browser, and voids earlier links. Animals, orders and keys stay as they are.",
  changesStore: true,
  examples: ['owner reset', 'owner reset --data /srv/petstore --json'],
  async run(invocation: Invocation) {
    const { values, terminal } = invocation
    assertShown(terminal, 'the set-up link')
    await withClient(invocation, async (client) => {
      const { dashboardUrl, listenerUrl, token } = await client.call<SetupLink>('POST', '/command/setup-links')
      const ways = setupWays(dashboardUrl, token, listenerUrl ?? undefined)
      const text = values['json'] ? JSON.stringify(ways) : setupLines(ways).join('\n')
      const undo = () => client.call('DELETE', '/command/setup-links', { token })
      await printOnce(terminal, `${text}\n`, undo, 'The owner and the password are as before.')
      try {
        await client.call('DELETE', '/command/owner', { token })
      } catch (cause) {
        const message = `The old password still works, because the owner could not be removed: ${messageOf(cause)} The link works, too.`
        throw new AppError('storage_unavailable', message, { cause })
      }
      if (!values['json']) terminal.out('The old password no longer works, and every browser is signed out.\n')
    })
    return 0
  },
}
