/** The JSON form of a webhook, which has what is derived from other records: its state, what is pending, its last delivery. */

import type { EventLog } from '../../access/events/log.ts'
import { countAfter } from './pending.ts'
import { countedPending, filterOf, stateOf } from './rules.ts'
import { toWebhook, type Webhook } from './schemas.ts'
import type { WebhookRow, WebhookStore } from './store.ts'

export interface WebhookViewParts {
  readonly webhooks: Pick<WebhookStore, 'waitingCount' | 'findDelivery'>
  readonly events: Pick<EventLog, 'readAfter'>
  /** Whether a webhook waits for a key of its account. */
  readonly isResting: (webhook: WebhookRow) => boolean
}

export function createWebhookView({ webhooks, events, isResting }: WebhookViewParts): (webhook: WebhookRow) => Webhook {
  return (webhook) => {
    const { id, position, lastDeliveryId } = webhook
    const pending = webhooks.waitingCount(id) + countAfter(events, position, filterOf(webhook), countedPending)
    return toWebhook(webhook, {
      state: stateOf(webhook, isResting(webhook)),
      pending: Math.min(pending, countedPending),
      lastDelivery: lastDeliveryId === null ? undefined : webhooks.findDelivery(lastDeliveryId),
    })
  }
}
