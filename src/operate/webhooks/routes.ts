/** The handlers of the endpoints of webhooks. */

import { auditContextOf } from '../../access/audit/store.ts'
import type { EventLog } from '../../access/events/log.ts'
import type { Created } from '../../api/endpoint.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { allows } from '../../api/scopes.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseTime } from '../../lib/duration.ts'
import { AppError } from '../../lib/error.ts'
import { storedText } from '../../lib/text.ts'
import { webhookEndpoints } from './endpoints.ts'
import {
  assertSeesAll,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  getWebhook,
  type ManageParts,
  releaseWebhooks,
  rollSecret,
} from './manage.ts'
import { countAfter } from './next.ts'
import { countedReplayed, filterOf } from './rules.ts'
import { type TestResult, toDelivery, type Webhook } from './schemas.ts'
import type { WebhookRow } from './store.ts'

export const webhookRoutes = (
  parts: ManageParts & {
    readonly events: Pick<EventLog, 'newestOnDisk' | 'readAfter' | 'assertKept' | 'find'>
    readonly webhookDelivery: {
      readonly toWebhook: (webhook: WebhookRow) => Webhook
      /** Sends a test event. Throws `too_busy` if too much is sent to the same host. */
      test(webhook: WebhookRow): Promise<TestResult>
    }
    readonly clock: Clock
    readonly endpointParts: EndpointParts
  },
) => {
  const { webhooks, audit, events, clock, webhookDelivery } = parts
  const { toWebhook } = webhookDelivery

  function withSecret(webhook: WebhookRow): Created {
    const representation = toWebhook(webhook)
    return {
      body: { ...representation, secret: webhook.secret },
      representation,
      replay: { ...representation, secret: null },
      location: `/v1/webhooks/${webhook.id}`,
    }
  }

  /** The earliest time of an attempt. A failing webhook tries its oldest delivery before the others. */
  function earliestOf({ id, failingSince }: WebhookRow): number {
    const oldestAt = failingSince === null ? null : webhooks.oldestWaiting(id)?.nextAt
    return Math.max(clock.now(), oldestAt ?? 0)
  }

  return mount(
    webhookEndpoints,
    {
      listWebhooks({ principal, cursorId = 0, fetchLimit }) {
        const accountId = allows(principal.scopes, 'admin') ? undefined : principal.accountId
        return webhooks.page(accountId, cursorId, fetchLimit).map(toWebhook)
      },
      createWebhook({ body, principal }) {
        const { url, types, orders = 'own', description = null, enabled: isEnabled = true, accountId } = body
        const settings = { url, types, orders, description: descriptionOf(description), isEnabled, accountId }
        return withSecret(createWebhook(parts, principal, settings, auditContextOf(principal, clock)))
      },
      releaseWebhooks: ({ body, principal }) => ({
        webhooks: releaseWebhooks(parts, body.pending, auditContextOf(principal, clock)),
      }),
      getWebhook: ({ params, principal }) => toWebhook(getWebhook(parts, principal, params.webhookId)),
      updateWebhook({ params, body, principal, assertPreconditions }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        assertSeesAll(principal, webhook)
        assertPreconditions(() => toWebhook(webhook))
        const { url, types, orders, description, enabled, from } = body
        const note = description === undefined ? undefined : descriptionOf(description)
        const changes = { url, types, orders, description: note, isEnabled: enabled, isSkipping: from === 'now' }
        return toWebhook(changeWebhook(parts, webhook, changes, auditContextOf(principal, clock)))
      },
      deleteWebhook({ params, principal, assertPreconditions }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        assertPreconditions(() => toWebhook(webhook))
        deleteWebhook(parts, webhook, auditContextOf(principal, clock))
      },
      rollWebhookSecret({ params, principal, assertPreconditions }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        assertSeesAll(principal, webhook)
        assertPreconditions(() => toWebhook(webhook))
        return withSecret(rollSecret(parts, webhook, auditContextOf(principal, clock)))
      },
      testWebhook({ params, principal, once }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        return once(async (_, respond) => respond(await webhookDelivery.test(webhook)))
      },
      listDeliveries({ params, query, principal, cursorId = Number.MAX_SAFE_INTEGER, fetchLimit }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        const earliestMs = earliestOf(webhook)
        return webhooks
          .deliveries(webhook.id, query.state, cursorId, fetchLimit)
          .map((row) => toDelivery(row, webhook, earliestMs))
      },
      retryDelivery({ params, principal }) {
        const delivery = webhooks.findDelivery(params.deliveryId)
        const webhook = delivery && findWebhook(parts, principal, delivery.webhookId)
        if (!webhook) throw new AppError('not_found', `There is no delivery ${params.deliveryId}.`)
        assertEnabled(webhook)
        if (!events.find(delivery.eventId)) throw new AppError('conflict', 'The event has expired.')
        return toDelivery(webhooks.request(delivery), webhook, clock.now())
      },
      replayEvents({ params, body: { after, since }, principal }) {
        const webhook = getWebhook(parts, principal, params.webhookId)
        assertEnabled(webhook)
        if (after !== undefined) events.assertKept(after)
        const from = Math.min(webhook.position, after ?? firstIdOf(since ?? '') - 1)
        webhooks.update(webhook.id, { position: from })
        const { accountId, url } = webhook
        const details = { webhookId: webhook.id, url, after: from }
        audit.add(auditContextOf(principal, clock), { action: 'webhook.replayed', accountId, details })
        return { deliveries: countAfter(events, from, filterOf(webhook), countedReplayed) }
      },
    },
    parts.endpointParts,
  )
}

/** An empty text describes nothing. */
const descriptionOf = (given: string | null) => storedText(given ?? '') || null

function assertEnabled({ id, isEnabled }: WebhookRow): void {
  if (!isEnabled) throw new AppError('conflict', `Webhook ${id} is disabled: enable it first.`)
}

/** The least id that an event of this time can have: ids are Unix microseconds. */
function firstIdOf(time: string): number {
  return Math.max(1, Math.min((parseTime(time) ?? 0) * 1_000, Number.MAX_SAFE_INTEGER))
}
