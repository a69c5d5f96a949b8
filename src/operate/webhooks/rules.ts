/** The limits of webhooks, their states, and which events they get. */

import { type EventFilter, type EventType, typesOf, visibleEvents } from '../../access/events/rules.ts'
import { parseScopes } from '../../api/scopes.ts'

/** The most webhooks of one account. */
export const maximumWebhooks = 20

/**
 * After this many failures in a row a webhook is failing: at each time of the schedule it tries only one of its failed
 * deliveries.
 */
export const failuresToFailing = 5
/** While this many of its deliveries wait, a failing webhook tries no new event. */
export const waitingWhileFailing = 5

const dayMs = 86_400_000
/** A webhook that was failing for this long is disabled, in milliseconds. */
export const disabledAfterMs = 5 * dayMs
/** Pending events are counted up to this number. */
export const countedPending = 100
/** The events of a replay are counted up to this number. */
export const countedReplayed = 1_000
/** How long the old secret also signs after a new one was created, in milliseconds. */
export const secretOverlapMs = dayMs
/** How long successful deliveries are kept, in milliseconds. */
export const deliveriesKeptMs = 7 * dayMs
/** The maximum of successful deliveries that are kept for each webhook. */
export const deliveriesKept = 1_000

export const webhookStates = ['working', 'failing', 'resting', 'disabled'] as const
export type WebhookState = (typeof webhookStates)[number]

interface Delivering {
  readonly isEnabled: boolean
  readonly failingSince: number | null
  readonly heldSince: number | null
}

/** `isResting`: its account has no valid key with `webhooks:write`. A webhook on hold after a restore rests, too. */
export function stateOf({ isEnabled, failingSince, heldSince }: Delivering, isResting: boolean): WebhookState {
  if (!isEnabled) return 'disabled'
  if (isResting || heldSince !== null) return 'resting'
  return failingSince === null ? 'working' : 'failing'
}

/** The columns that select the events of a webhook. */
interface Selection {
  readonly accountId: number
  readonly types: readonly string[]
  readonly orders: 'own' | 'all'
  /** Those of the key that created it, separated by spaces. */
  readonly scopes: string
}

/** The events that a webhook gets: those of its types that the key which created it could see. */
export function filterOf({ accountId, types, orders, scopes }: Selection): EventFilter {
  const visible = visibleEvents({ accountId, scopes: parseScopes(scopes) }, typesOf(types))
  if (orders === 'all') return visible
  const isOfOrders = (type: EventType) => type.startsWith('order.')
  const [ofOrders, others] = [[...visible.all].filter(isOfOrders), [...visible.all].filter((type) => !isOfOrders(type))]
  return { ...visible, all: new Set(others), own: new Set([...visible.own, ...ofOrders]) }
}

interface Secrets {
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousSecretEndsAt: number | null
}

/** The secrets that sign at `nowMs`, the new one first. */
export function liveSecrets(
  { secret, previousSecret, previousSecretEndsAt }: Secrets,
  nowMs: number,
): readonly string[] {
  const lives = previousSecret !== null && (previousSecretEndsAt ?? 0) > nowMs
  return lives ? [secret, previousSecret] : [secret]
}

/**
 * How many attempts run at once: in all, and of one account to one host, so that no account waits for the slow receiver
 * of another.
 */
export const attemptsAtOnce = 100
export const attemptsOfPair = 2

/** The account and host of a webhook, as one text. */
export const pairOf = ({ accountId, url }: { readonly accountId: number; readonly url: string }): string =>
  `${accountId} ${new URL(url).hostname}`
