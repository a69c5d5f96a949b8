/** Sends a query and reads its reply: UDP twice, then TCP if a reply over UDP is truncated or may be forged; or TCP first. */

import type { Budget, Limits } from './budget.ts'
import type { Endpoint } from './endpoint.ts'
import { createQuery, isSendable, type QuerySpec } from './query.ts'
import { failure, type Outcome } from './record.ts'
import { exchangeTcp } from './tcp.ts'
import { exchangeUdp, type UdpOutcome } from './udp.ts'

export interface ExchangeOptions {
  readonly limits: Limits
  readonly budget: Budget
  /** TCP first, UDP if the server does not accept connections: for replies that prove something. */
  readonly tcpFirst?: boolean
  /** Called if `tcpFirst` got no reply over TCP. */
  readonly onTcpFailure?: () => void
}

/** Never rejects. A query beyond the limits of the check fails as `limit_reached`. */
export async function exchange(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  if (spec.name !== '' && !isSendable(spec.name)) return failure('malformed')
  const outcome = await exchangeOnce(endpoint, spec, options)
  return isTooOld(outcome) && !spec.plain ? exchangeOnce(endpoint, { ...spec, plain: true }, options) : outcome
}

/** Whether the server does not support EDNS (RFC 6891, section 7). */
function isTooOld(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && /^(FORMERR|NOTIMP)$/.test(outcome.rcode)
}

async function exchangeOnce(endpoint: Endpoint, spec: QuerySpec, options: ExchangeOptions): Promise<Outcome> {
  const { limits, budget, tcpFirst } = options
  let overTcp: Outcome | undefined
  if (tcpFirst) {
    overTcp = await queryTcp()
    if (overTcp.kind === 'reply' || overTcp.reason === 'no_route' || overTcp.reason === 'limit_reached') return overTcp
    options.onTcpFailure?.()
  }
  const overUdp = await queryUdp()
  if (overUdp.kind === 'failure') return overUdp
  if (overUdp.kind === 'reply' && !overUdp.truncated) return overUdp
  const last = overTcp ?? (await queryTcp())
  const rejection = overUdp.kind === 'suspect' ? overUdp.rejection : undefined
  // Of a server without TCP, this alone says that it does not support EDNS. It proves nothing else.
  return last.kind === 'failure' && rejection && isTooOld(rejection) ? rejection : last

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
    return exchangeTcp(endpoint, createQuery(spec), limits.tcpTimeoutMs, budget.signal)
  }
}
