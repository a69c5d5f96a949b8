/** Composes the parts of webhooks: the sender, the job that delivers, and what needs the owner's attention. */

import { findStoreAccount, type StoreAccountStores } from '../../access/accounts/store-account.ts'
import type { KeyStore } from '../../access/keys/store.ts'
import type { Hold } from '../../access/owner/hold.ts'
import type { Attention, AttentionSource } from '../../api/attention.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import type { Network } from '../../lib/network.ts'
import { createDeliverer, type DeliverParts } from './deliver.ts'
import type { Resolve } from './destination.ts'
import { testMessage } from './message.ts'
import { countAfter } from './next.ts'
import { attemptsOfPair, countedPending, filterOf, liveSecrets, pairOf, stateOf } from './rules.ts'
import { describeWebhook, type TestResult, type Webhook } from './schemas.ts'
import { createSender } from './send.ts'
import { withClock } from './settle.ts'
import type { WebhookRow, WebhookStore } from './store.ts'

export interface WebhookParts extends Omit<DeliverParts, 'send' | 'isResting' | 'isOnHold' | 'toWebhook'> {
  readonly keys: Pick<KeyStore, 'hasInUse'>
  readonly accounts: StoreAccountStores['accounts']
  readonly owner: StoreAccountStores['owner']
  readonly hold: Hold
  readonly attention: Attention
  readonly webhookNetworks: readonly Network[]
  /** Replaces the look-up of host names, for tests. */
  readonly resolve?: Resolve | undefined
}

/** Reports the webhooks that the service has turned off, and events on hold since a restore. */
export function createWebhookAttention({
  webhooks,
  hold,
}: Pick<WebhookParts, 'hold'> & {
  readonly webhooks: Pick<WebhookStore, 'disabledByService' | 'onHold'>
}): AttentionSource {
  return (_, most) => {
    const disabled = webhooks.disabledByService(most).map(({ id, url, description, disabledAt }) => ({
      kind: 'webhook_disabled',
      id,
      name: description ?? new URL(url).host,
      sinceMs: disabledAt ?? 0,
    }))
    const [first] = hold.isOnHold() ? [] : webhooks.onHold()
    const onHold = first ? [{ kind: 'webhooks_held', id: null, name: null, sinceMs: first.heldSince ?? 0 }] : []
    return [...disabled, ...onHold]
  }
}

export function createWebhooks(parts: WebhookParts) {
  const { webhooks, events, keys, hold, attention, clock, webhookNetworks, resolve } = parts
  // Connections use real time, even where a test moves the clock.
  const send = createSender({ networks: webhookNetworks, clock: { ...systemClock, now: clock.now }, resolve })
  const isResting = ({ accountId }: WebhookRow) =>
    findStoreAccount(parts)?.id !== accountId && !keys.hasInUse(accountId, 'webhooks:write', clock.now())

  function toWebhook(webhook: WebhookRow): Webhook {
    const { id, position, lastDeliveryId } = webhook
    const pending = webhooks.waitingCount(id) + countAfter(events, position, filterOf(webhook), countedPending)
    const facts = { state: stateOf(webhook, isResting(webhook)), pending: Math.min(pending, countedPending) }
    return describeWebhook(webhook, facts, lastDeliveryId === null ? undefined : webhooks.findDelivery(lastDeliveryId))
  }

  const deliverer = createDeliverer({ ...parts, send, isResting, isOnHold: hold.isOnHold, toWebhook })

  attention.add(createWebhookAttention(parts))

  return {
    jobs: [deliverer.job],
    toWebhook,
    results: deliverer.results,
    oldestPendingMs: deliverer.oldestPendingMs,
    close: deliverer.close,
    async test(webhook: WebhookRow): Promise<TestResult> {
      const giveBack = deliverer.slots.take(pairOf(webhook))
      if (giveBack === undefined) {
        const message = `Account ${webhook.accountId} has ${attemptsOfPair} other open requests to this host. Try again.`
        throw new AppError('too_busy', message, { retryAfterSeconds: 15 })
      }
      try {
        const receiver = { url: webhook.url, secrets: liveSecrets(webhook, clock.now()) }
        const sent = await send(receiver, testMessage(webhook.id, clock.now()), deliverer.signal)
        const outcome = withClock(sent, parts.clockWrongByMs())
        const { isDelivered: delivered, status, durationMs, error, response } = outcome
        return { delivered, status, durationMs, error, response }
      } catch (error) {
        if (!deliverer.signal.aborted) throw error
        throw new AppError('too_busy', 'The service is stopping. Try again.', { cause: error, retryAfterSeconds: 5 })
      } finally {
        giveBack()
      }
    },
  }
}
