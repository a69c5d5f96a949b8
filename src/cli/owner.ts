/** `petstore owner reset`: prints a new set-up link for the dashboard. */

import { createSetupToken, deleteSetupToken, resetOwner, setupUrl } from '../access/owner/set-up.ts'
import { storeConfig } from '../config/config.ts'
import { defaultPorts } from '../lib/environment.ts'
import { AppError, messageOf } from '../lib/error.ts'
import type { Command, Invocation } from './command.ts'
import { assertShown, printOnce } from './print-once.ts'
import { setupLines } from './setup-link.ts'
import { withStore } from './store.ts'

export const ownerReset: Command = {
  name: 'owner reset',
  summary: 'print a new set-up link for the dashboard',
  details:
    "For a forgotten password. It removes the owner's e-mail address and password, signs out every browser, and voids earlier links; a running server follows within a second. Animals, orders and keys stay as they are.",
  changesStore: true,
  examples: ['owner reset', 'owner reset --data /srv/petstore --json'],
  async run({ values, terminal }: Invocation) {
    const config = storeConfig(values)
    assertShown(terminal, 'the set-up link')
    await withStore(config, async (store) => {
      const context = { actor: 'command', nowMs: Date.now() } as const
      // A link that is printed must work, and an owner must not be lost without one that was printed: the link is stored first.
      const token = store.write(() => createSetupToken(store, context.nowMs))
      const dashboardUrl =
        store.owner.installation().dashboardUrl ?? `http://127.0.0.1:${defaultPorts[config.environment]}/dashboard`
      const document = { setupUrl: setupUrl(dashboardUrl, token) }
      const text = values['json'] ? JSON.stringify(document) : setupLines(dashboardUrl, token).join('\n')
      const undo = () => store.write(() => deleteSetupToken(store, token))
      await printOnce(terminal, `${text}\n`, undo, 'The owner and the password are as before.')
      try {
        store.write(() => resetOwner(store, context, token))
      } catch (cause) {
        const message = `The old password still works, because the owner could not be removed: ${messageOf(cause)} The link works, too.`
        throw new AppError('storage_unavailable', message, { cause })
      }
      if (!values['json']) terminal.out('The old password no longer works, and every browser is signed out.\n')
    })
    return 0
  },
}
