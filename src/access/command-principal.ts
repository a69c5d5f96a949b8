/** The principal of the commands on this machine: whoever may open the socket or the files of the store may do everything. */

import type { Principal } from '../api/principal.ts'
import { type Scope, scopes } from '../api/scopes.ts'

const allScopes: ReadonlySet<Scope> = new Set(scopes)

/** `ownAccountId`: the store's own account, 0 if there is none. No limit counts its requests. */
export function commandPrincipal(ownAccountId: number): Principal {
  return {
    actor: 'command',
    accountId: 0,
    ownAccountId,
    plan: 'enterprise',
    allowance: { perMinute: 0, perDay: 0 },
    policy: '',
    scopes: allScopes,
    keyId: undefined,
    keyName: 'Command',
    expiresAtMs: Number.POSITIVE_INFINITY,
  }
}
