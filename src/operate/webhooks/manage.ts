/** Creates and changes webhooks. Call these functions in a transaction. */

import { accountFor, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import type { AuditContext } from '../../access/audit/store.ts'
import type { EventLog } from '../../access/events/log.ts'
import { readerScopes, scopesShowing, typesOf, visibleEvents } from '../../access/events/rules.ts'
import { assertScope, InsufficientScope, type Principal } from '../../api/principal.ts'
import { allows, parseScopes } from '../../api/scopes.ts'
import { AppError } from '../../lib/error.ts'
import type { Network } from '../../lib/network.ts'
import { storedUrl } from './destination.ts'
import { generateSecret } from './message.ts'
import { maximumWebhooks, secretOverlapMs } from './rules.ts'
import type { WebhookRow, WebhookStore } from './store.ts'

export interface ManageParts extends StoreAccountStores {
  readonly webhooks: WebhookStore
  readonly events: Pick<EventLog, 'newestOnDisk'>
  /** The networks besides the public internet to which requests may go. */
  readonly webhookNetworks: readonly Network[]
}

type WebhookSettings = Pick<WebhookRow, 'url' | 'types' | 'orders' | 'description' | 'isEnabled'>

/** A webhook that the principal may see; undefined for any other, as if it did not exist. */
export function findWebhook(
  { webhooks }: Pick<ManageParts, 'webhooks'>,
  { accountId, scopes }: Pick<Principal, 'accountId' | 'scopes'>,
  id: number,
): WebhookRow | undefined {
  const webhook = webhooks.find(id)
  return webhook && (webhook.accountId === accountId || allows(scopes, 'admin')) ? webhook : undefined
}

/** Like `findWebhook`. Throws `not_found` instead of returning undefined. */
export function getWebhook(
  stores: Pick<ManageParts, 'webhooks'>,
  principal: Pick<Principal, 'accountId' | 'scopes'>,
  id: number,
): WebhookRow {
  const webhook = findWebhook(stores, principal, id)
  if (webhook) return webhook
  throw new AppError('not_found', `There is no webhook ${id}.`)
}

/**
 * Throws `conflict` if the account already has the maximum of webhooks, and `insufficient_scope` for events that the
 * principal may not see.
 */
export function createWebhook(
  stores: ManageParts,
  principal: Principal,
  settings: WebhookSettings & { readonly accountId: number | undefined },
  context: AuditContext,
): WebhookRow {
  const { webhooks, accounts, audit, events, webhookNetworks } = stores
  const accountId = accountFor(stores, principal, context, settings.accountId)
  if (!accounts.find(accountId)) throw new AppError('not_found', `There is no account ${accountId}.`)
  if (webhooks.countOf(accountId) >= maximumWebhooks) {
    throw new AppError(
      'conflict',
      `Account ${accountId} already has ${maximumWebhooks} webhooks, the maximum: delete one first.`,
    )
  }
  const scopes = readerScopes.filter((scope) => allows(principal.scopes, scope)).join(' ')
  const { types, orders, description, isEnabled } = settings
  assertVisible({ accountId, scopes, types, orders })
  const row = webhooks.add({
    accountId,
    url: storedUrl(settings.url, webhookNetworks),
    types,
    orders,
    description,
    scopes,
    isEnabled,
    createdAt: context.nowMs,
    secret: generateSecret(),
    previousSecret: null,
    previousSecretEndsAt: null,
    position: events.newestOnDisk(),
    failures: 0,
    failingSince: null,
    lastDeliveryId: null,
    disabledAt: null,
    heldSince: null,
  })
  audit.add(context, { action: 'webhook.created', accountId, details: detailsOf(row) })
  return row
}

/** Throws `insufficient_scope` for events that the key which created the webhook could not see. */
function assertVisible({
  accountId,
  scopes,
  types,
  orders,
}: Pick<WebhookRow, 'accountId' | 'scopes' | 'types' | 'orders'>): void {
  const granted = parseScopes(scopes)
  if (orders === 'all') assertScope({ scopes: granted }, ['orders:manage'])
  const hidden = types.find((type) => {
    const { all, own } = visibleEvents({ accountId, scopes: granted }, typesOf([type]))
    return all.size + own.size === 0
  })
  if (hidden === undefined) return
  const message = `The API key that creates the webhook may not see ${hidden}: that needs the scope ${scopesShowing(hidden).join(' or ')}.`
  throw new AppError('insufficient_scope', message)
}

/** Throws `insufficient_scope` if the webhook sends more than the principal may see. */
export function assertSeesAll({ scopes }: Pick<Principal, 'scopes'>, webhook: WebhookRow): void {
  const missing = [...parseScopes(webhook.scopes)].filter((scope) => !allows(scopes, scope))
  if (missing.length === 0) return
  // It includes the others.
  throw new InsufficientScope(missing.includes('admin') ? ['admin'] : missing, 'all')
}

type Undefinable<T> = { readonly [name in keyof T]: T[name] | undefined }

/** Changes the settings that are given. `isSkipping`: what is pending is skipped. */
export function changeWebhook(
  { webhooks, audit, events, webhookNetworks }: ManageParts,
  before: WebhookRow,
  { isSkipping, ...given }: Undefinable<WebhookSettings> & { readonly isSkipping: boolean },
  context: AuditContext,
): WebhookRow {
  const settings = { ...given, url: given.url === undefined ? undefined : storedUrl(given.url, webhookNetworks) }
  const changed = Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => value !== undefined && !Bun.deepEquals(value, before[name as keyof WebhookRow]),
    ),
  ) as Partial<WebhookRow>
  if (Object.keys(changed).length === 0 && !isSkipping && before.disabledAt === null) return before
  const after: WebhookRow = {
    ...before,
    ...changed,
    // Somebody has seen that it was disabled.
    ...(given.isEnabled === undefined ? {} : { disabledAt: null }),
    ...(changed.isEnabled === true || changed.url !== undefined ? { failures: 0, failingSince: null } : {}),
    ...(isSkipping ? { position: events.newestOnDisk() } : {}),
  }
  if (changed.types !== undefined || changed.orders !== undefined) assertVisible(after)
  const { id, ...row } = after
  webhooks.update(id, row)
  if (isSkipping) webhooks.giveUp(id)
  else if (changed.isEnabled === true || changed.url !== undefined) webhooks.retryNow(id, context.nowMs)
  audit.add(context, {
    action: 'webhook.changed',
    accountId: after.accountId,
    details: { ...detailsOf(after), ...(isSkipping ? { from: 'now' } : {}) },
  })
  return after
}

export function deleteWebhook(
  { webhooks, audit }: Pick<ManageParts, 'webhooks' | 'audit'>,
  webhook: WebhookRow,
  context: AuditContext,
): void {
  webhooks.remove(webhook.id)
  const { id: webhookId, accountId, url } = webhook
  audit.add(context, { action: 'webhook.deleted', accountId, details: { webhookId, url } })
}

/** Gives a webhook a new secret; for a day the old one signs, too. */
export function rollSecret(
  { webhooks, audit }: Pick<ManageParts, 'webhooks' | 'audit'>,
  before: WebhookRow,
  context: AuditContext,
): WebhookRow {
  const { id: webhookId, accountId, url } = before
  const changes = {
    secret: generateSecret(),
    previousSecret: before.secret,
    previousSecretEndsAt: context.nowMs + secretOverlapMs,
  }
  webhooks.update(webhookId, changes)
  audit.add(context, { action: 'webhook.rolled', accountId, details: { webhookId, url } })
  return { ...before, ...changes }
}

/**
 * Releases the webhooks that a restore has put on hold. Pending events are sent or given up. Returns the number of
 * webhooks.
 */
export function releaseWebhooks(
  { webhooks, audit, events }: Pick<ManageParts, 'webhooks' | 'audit' | 'events'>,
  pending: 'send' | 'give_up',
  context: AuditContext,
): number {
  const released = webhooks.onHold()
  for (const { id, accountId, url, heldSince } of released) {
    // Ids are Unix microseconds. Events since the restore cannot have been sent before.
    const restoredAt = Math.min((heldSince ?? 0) * 1_000, events.newestOnDisk())
    webhooks.update(id, { heldSince: null, ...(pending === 'send' ? {} : { position: restoredAt }) })
    if (pending === 'give_up') webhooks.giveUp(id)
    audit.add(context, { action: 'webhook.released', accountId, details: { webhookId: id, url, pending } })
  }
  return released.length
}

function detailsOf({ id: webhookId, url, types, orders, description, isEnabled: enabled }: WebhookRow) {
  return { webhookId, url, types, orders, description, enabled }
}
