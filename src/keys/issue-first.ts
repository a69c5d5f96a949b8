/** The key that a new store starts with, so that its owner can call it at once. */

import type { App } from '../app.ts'
import { issueKey } from './issue.ts'
import { scopes } from './rules.ts'

/** Issues a key with every scope on a Business account if there is no key yet; resolves to it or undefined. */
export function issueFirstKey(
  app: Pick<App, 'writer' | 'keys' | 'accounts' | 'audit' | 'environment' | 'clock'>,
): Promise<string | undefined> {
  return app.writer.write(() => {
    if (!app.keys.isEmpty()) return undefined
    const order = {
      name: 'Store',
      account: { plan: 'business', custom: {} },
      scopes,
      expiresAt: undefined,
    } as const
    return issueKey(app, order, app.clock.now(), 'service').key
  })
}
