/** The changes that follow from an attempt to deliver. */

import { retryWaitMs } from '../retry-schedule.ts'
import { disabledAfterMs, failuresToFailing } from './rules.ts'
import type { Outcome } from './send.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'

/** The longest wait that a receiver may ask for, in milliseconds. */
const longestAskedMs = 24 * 3_600_000

/** The changes of the delivery and of the webhook. */
export interface Settled {
  readonly delivery: Omit<DeliveryRow, 'id'>
  readonly webhook: Partial<Pick<WebhookRow, 'failures' | 'failingSince' | 'isEnabled' | 'disabledAt'>>
  /** Whether the webhook was failing and no longer is. Its waiting deliveries are due then. */
  readonly isRecovered: boolean
}

/** `before` is the delivery as it was, if there was an attempt before. */
export function settle(
  webhook: WebhookRow,
  event: { readonly id: number; readonly type: string },
  before: DeliveryRow | undefined,
  outcome: Outcome,
  nowMs: number,
): Settled {
  const { isDelivered, status, durationMs, error, response, retryAfterMs } = outcome
  const attempts = (before?.attempts ?? 0) + 1
  const attempt = { webhookId: webhook.id, eventId: event.id, type: event.type, attempts, attemptedAt: nowMs }
  const result = { ...attempt, status, durationMs, error, response }
  if (isDelivered) {
    return {
      delivery: { ...result, state: 'delivered', nextAt: null },
      webhook: { failures: 0, failingSince: null },
      isRecovered: webhook.failingSince !== null,
    }
  }
  const failures = webhook.failures + 1
  const failingSince = webhook.failingSince ?? (failures >= failuresToFailing ? nowMs : null)
  const hasFailedLong = failingSince !== null && nowMs - failingSince >= disabledAfterMs
  const asked = Math.min(retryAfterMs ?? 0, longestAskedMs)
  const nextAt = nowMs + Math.max(retryWaitMs(attempts), asked)
  return {
    delivery: { ...result, state: 'failed', nextAt },
    webhook: {
      failures,
      failingSince,
      ...(status === 410 || hasFailedLong ? { isEnabled: false, disabledAt: nowMs } : {}),
    },
    isRecovered: false,
  }
}

/**
 * Adds to a failure that the clock of this machine is wrong, if it is: receivers refuse a signature with a wrong time.
 */
export function withClock(outcome: Outcome, wrongByMs: number | undefined): Outcome {
  if (outcome.isDelivered || wrongByMs === undefined) return outcome
  const minutes = Math.round(Math.abs(wrongByMs) / 60_000)
  const advice = `The clock of this machine is wrong by ${minutes} minutes: receivers refuse signatures with a wrong time.`
  return { ...outcome, error: `${outcome.error ?? ''} ${advice}` }
}
