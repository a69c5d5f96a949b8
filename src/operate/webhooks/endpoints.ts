/** The endpoints of webhooks. */

import { Type } from '@sinclair/typebox'
import { created, endpoint, json, mergePatch, page, performed, removed, resource, updated } from '../../api/endpoint.ts'
import { idParameter } from '../../api/parameters.ts'
import { stringEnum } from '../../api/schemas.ts'
import { AppError } from '../../lib/error.ts'
import { attemptsOfPair, deliveriesKept, maximumWebhooks } from './rules.ts'
import {
  Deliveries,
  Delivery,
  NewWebhook,
  Release,
  Released,
  Replay,
  Replayed,
  TestResult,
  Webhook,
  WebhookChange,
  Webhooks,
  WebhookWithSecret,
} from './schemas.ts'
import { deliveryStates } from './table.ts'

const params = { webhookId: idParameter('Id of the webhook.') }
const common = { tag: 'events', stability: 'beta' } as const
const reading = { ...common, scope: 'webhooks:read' } as const
const writing = { ...common, scope: 'webhooks:write' } as const
const others = 'Without the scope `admin`, a webhook of another account is not found.'
const asPowerful = 'A key that may not see everything that the webhook sends is rejected: 403 `insufficient_scope`.'

/** Deliveries change these, and no ETag covers them. */
const sent = { untagged: ['state', 'pending', 'lastDelivery'] } as const

/** Throws `invalid_body` for a `from` without `enabled: true`. */
function assertFrom({ from, enabled }: { readonly from?: string; readonly enabled?: boolean }): void {
  if (from === undefined || enabled === true) return
  throw new AppError('invalid_body', 'from needs enabled: true.')
}

/** Throws `invalid_body` unless there is exactly one of `after` and `since`. */
function assertBeginning({ after, since }: { readonly after?: number; readonly since?: string }): void {
  if ((after === undefined) !== (since === undefined)) return
  throw new AppError('invalid_body', 'Send either after, the id of an event, or since, a time.')
}

export const webhookEndpoints = {
  listWebhooks: endpoint({
    ...reading,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description:
      'Returns a page of webhooks, by id ascending: those of the account of the key, or all with the scope `admin`.',
    success: page(Webhooks, { description: 'A page of webhooks.', cursorName: 'webhooks' }),
  }),
  createWebhook: endpoint({
    ...writing,
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description: `Delivers events to a URL from now on, as signed requests (Standard Webhooks 1.0.0). Only this response has the secret. The webhook gets the events that this key may see, even if the key is changed or revoked later, and rests while its account has no valid key with \`webhooks:write\`. The URL must lead to the public internet. An account has at most ${maximumWebhooks} webhooks.`,
    body: json(NewWebhook),
    success: created(WebhookWithSecret, { description: 'The webhook with its secret.', ...sent }),
    errors: ['not_found', 'conflict'],
  }),
  releaseWebhooks: endpoint({
    ...common,
    scope: 'admin',
    method: 'POST',
    path: '/webhooks/release',
    summary: 'Deliver or discard pending events after a restore',
    description:
      'After a restore, webhooks are on hold, because events that were pending in the backup may have been delivered since. This operation delivers or discards these events, and the webhooks continue.',
    body: json(Release),
    success: performed(Released, { description: 'The webhooks continue.', isUnconditional: true }),
  }),
  getWebhook: endpoint({
    ...reading,
    method: 'GET',
    path: '/webhooks/{webhookId}',
    params,
    summary: 'Fetch a webhook',
    description: `Returns one webhook. Its ETag does not cover \`state\`, \`pending\` and \`lastDelivery\`. ${others}`,
    success: resource(Webhook, { description: 'The webhook.', ...sent }),
  }),
  updateWebhook: endpoint({
    ...writing,
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    params,
    summary: 'Change a webhook',
    description: `Changes the members that are sent. \`enabled: true\` continues where the webhook stopped, or with \`from: "now"\` skips what is pending. ${asPowerful} ${others}`,
    body: mergePatch(WebhookChange, assertFrom),
    success: updated(Webhook, { description: 'The webhook as it is now.', ...sent }),
  }),
  deleteWebhook: endpoint({
    ...writing,
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    params,
    summary: 'Delete a webhook',
    description: `Deletes a webhook and the record of its deliveries. ${others}`,
    success: removed({ description: 'The webhook is deleted.', ...sent }),
  }),
  rollWebhookSecret: endpoint({
    ...writing,
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    params,
    summary: 'Create a new secret',
    description: `Creates a new secret, which only this response shows. For 24 hours each delivery has two signatures, one by each secret. ${asPowerful} ${others}`,
    success: created(WebhookWithSecret, { description: 'The webhook with its new secret.', ...sent }),
    errors: ['precondition_failed'],
  }),
  testWebhook: endpoint({
    ...writing,
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    params,
    summary: 'Send a test event',
    description: `Sends an event of the type \`webhook.test\`, which no feed has, and responds with the result within 15 seconds. The webhook does not change. While its account has ${attemptsOfPair} other open requests to this host, the status is 503 \`too_busy\`. ${others}`,
    success: performed(TestResult, { description: 'The result.', isUnconditional: true, inSteps: true }),
    errors: ['too_busy'],
  }),
  listDeliveries: endpoint({
    ...reading,
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    params,
    summary: 'List deliveries',
    description: `Returns a page of deliveries, the newest first. Those that succeeded are kept for 7 days, the last ${deliveriesKept} at most; those that failed as long as their event. An event without an attempt is not listed. ${others}`,
    query: {
      state: Type.Optional(
        stringEnum(deliveryStates, { description: 'Only deliveries in this state.', examples: ['failed'] }),
      ),
    },
    success: page(Deliveries, { description: 'A page of deliveries.', cursorName: 'deliveries' }),
  }),
  retryDelivery: endpoint({
    ...writing,
    method: 'POST',
    path: '/webhooks/deliveries/{deliveryId}/retry',
    params: { deliveryId: idParameter('Id of the delivery.') },
    summary: 'Deliver an event again',
    description: `Delivers the event of a delivery again as soon as possible, even if it was delivered before. ${others}`,
    success: performed(Delivery, { description: 'The delivery, whose next attempt is due.', isUnconditional: true }),
    errors: ['conflict'],
  }),
  replayEvents: endpoint({
    ...writing,
    method: 'POST',
    path: '/webhooks/{webhookId}/replay',
    params,
    summary: 'Deliver events again',
    description: `Goes back to an event or a time and delivers all events since then again, in order, with the same \`webhook-id\`s. ${others}`,
    body: json(Replay, assertBeginning),
    success: performed(Replayed, { description: 'They are delivered.', isUnconditional: true, isAccepted: true }),
    errors: ['events_expired', 'conflict'],
  }),
}
