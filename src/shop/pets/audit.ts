/**
 * Adds changes of animals that the owner or a command has made to the audit log. Clients of the API may change every
 * animal at once: their changes are events, and would fill the audit log.
 */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import { type AuditStore, auditContextOf } from '../../access/audit/store.ts'
import type { Principal } from '../../api/principal.ts'
import type { Clock } from '../../lib/clock.ts'

export const isOwnerOrCommand = ({ actor }: Principal): boolean => actor === 'owner' || actor === 'command'

/** Adds an entry to the audit log if the principal is the owner or a command. Called in a transaction. */
export function addPetsToAudit(
  parts: StoreAccountStores & { readonly audit: AuditStore; readonly clock: Clock },
  principal: Principal,
  action: `pet.${string}`,
  details: object,
): void {
  if (!isOwnerOrCommand(principal)) return
  const context = auditContextOf(principal, parts.clock)
  parts.audit.add(context, { action, accountId: accountFor(parts, principal, context), details: { ...details } })
}
