/** `petstore owner reset`: prints a new set-up link for the dashboard. */

import { storeConfig } from '../config/config.ts'
import { defaultPorts } from '../environment.ts'
import { resetOwner, setupUrl } from '../owner/set-up.ts'
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
    await withStore(config, (store) =>
      store.writeUntil(async () => {
        const token = resetOwner(store, { actor: 'command', nowMs: Date.now() })
        const dashboardUrl =
          store.owner.installation().dashboardUrl ?? `http://127.0.0.1:${defaultPorts[config.environment]}/dashboard`
        const lines = [
          'The old password no longer works, and every browser is signed out.',
          '',
          ...setupLines(dashboardUrl, token),
        ]
        const document = { setupUrl: setupUrl(dashboardUrl, token) }
        const text = `${values['json'] ? JSON.stringify(document) : lines.join('\n')}\n`
        // The rollback undoes everything.
        await printOnce(terminal, text, () => {}, 'The owner and the password are as before.')
      }),
    )
    return 0
  },
}
