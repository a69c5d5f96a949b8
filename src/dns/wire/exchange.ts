/**
 * Sends a query and reads its reply: UDP twice, then TCP if a reply over UDP is truncated or may be forged; or TCP
 * first.
 */

import type { Budget, Limits } from './budget.ts'
import type { Endpoint } from './endpoint.ts'
import { createQuery, isSendable, type QuerySpec } from './query.ts'
import { failure, type Outcome } from './record.ts'
import { exchangeTcp } from './tcp.ts'
import { exchangeUdp, type UdpOutcome } from './udp.ts'

/** What earlier exchanges with a server have shown. It saves queries and timeouts. */
export interface ServerTraits {
  /** A query over TCP got no reply. */
  withoutTcp?: boolean
  /** It replied to a query only without EDNS. */
  withoutEdns?: boolean
}

export interface ExchangeOptions {
  readonly limits: Limits
  readonly budget: Budget
  /** Changed by the exchange. */
  readonly traits: ServerTraits
  /** TCP first, UDP if the server does not accept connections: for replies that prove something. */
  readonly tcpFirst?: boolean
}

/** Never rejects. A query beyond the limits of the check fails as `limit_reached`. */
export async function exchange(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  if (spec.name !== '' && !isSendable(spec.name)) return failure('malformed')
  const { traits } = options
  const plain = traits.withoutEdns === true
  const outcome = await exchangeOnce(endpoint, { ...spec, plain }, options)
  if (plain || !isTooOld(outcome)) return outcome
  const repeated = await exchangeOnce(endpoint, { ...spec, plain: true }, options)
  if (repeated.kind === 'reply' && !isTooOld(repeated)) traits.withoutEdns = true
  return repeated
}

/** Whether the server does not support EDNS (RFC 6891, section 7). */
function isTooOld(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && /^(FORMERR|NOTIMP)$/.test(outcome.rcode)
}

/** Whether the server gave no valid reply, and neither the network nor the limits of the check are the cause. */
function isUnanswered(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && outcome.reason !== 'no_route' && outcome.reason !== 'limit_reached'
}

async function exchangeOnce(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  const { limits, budget, traits } = options
  let overTcp: Outcome | undefined
  if (options.tcpFirst && !traits.withoutTcp) {
    overTcp = await queryTcp()
    if (!isUnanswered(overTcp)) return overTcp
  }
  const overUdp = await queryUdp()
  if (overUdp.kind === 'failure') return overUdp
  if (overUdp.kind === 'reply' && !overUdp.truncated) return overUdp
  // A rejection that may be forged proves nothing, but suffices to repeat the query without EDNS.
  if (overUdp.kind === 'suspect' && overUdp.rejection && isTooOld(overUdp.rejection)) return overUdp.rejection
  return overTcp ?? queryTcp()

  async function queryUdp(): Promise<UdpOutcome> {
    let outcome: UdpOutcome = failure('limit_reached')
    for (const timeoutMs of limits.udpTimeoutsMs) {
      if (!budget.take()) return outcome
      outcome = await exchangeUdp(endpoint, createQuery(spec), timeoutMs, budget.signal)
      if (outcome.kind !== 'failure' || outcome.reason !== 'timeout') return outcome
    }
    return outcome
  }

  async function queryTcp(): Promise<Outcome> {
    if (!budget.take()) return failure('limit_reached')
    const outcome = await exchangeTcp(endpoint, createQuery(spec), limits.tcpTimeoutMs, budget.signal)
    if (isUnanswered(outcome)) traits.withoutTcp = true
    return outcome
  }
}
