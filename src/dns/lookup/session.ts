/** The DNS access of one check: sends each query to each server once, within the limits. */

import { systemClock } from '../../lib/clock.ts'
import type { CheckOptions } from '../request.ts'
import { type Budget, createBudget, defaultLimits, type Limits } from '../wire/budget.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { exchange, type ServerTraits } from '../wire/exchange.ts'
import { reservedUse } from '../wire/global-address.ts'
import type { QuerySpec } from '../wire/query.ts'
import { failure, type Outcome, type QueryType } from '../wire/record.ts'

/** An authoritative server: one address of one name. */
export interface Server {
  readonly name: string
  readonly address: string
}

export interface Session {
  readonly limits: Limits
  readonly budget: Budget
  readonly resolvers: readonly Endpoint[]
  /** Queries an authoritative server, without recursion. `proof`: over TCP if it accepts connections. */
  query(server: Server, name: string, type: QueryType, options?: { readonly proof?: boolean }): Promise<Outcome>
  /** Queries a recursive resolver. */
  queryResolver(resolver: Endpoint, name: string, type: QueryType, checkingDisabled?: boolean): Promise<Outcome>
  /** The reply of the first resolver with NOERROR or NXDOMAIN, or else the outcome of the last one. */
  resolve(name: string, type: QueryType): Promise<Outcome>
  /** Whether IPv6 addresses of name servers are preferred. */
  readonly prefersIpv6: boolean
  /** To be called if this machine seems to have no route to IPv4 addresses. */
  preferIpv6(): void
  close(): void
}

interface KnownServer extends ServerTraits {
  /** It has timed out, and gets no further queries. */
  isSilent?: boolean
}

export function createSession(options: CheckOptions): Session {
  const limits = { ...defaultLimits, ...options.limits }
  const budget = createBudget(limits, options.clock ?? systemClock, options.signal)
  const connect = options.connect ?? ((address) => ({ address, port: 53 }))
  const sent = new Map<string, Promise<Outcome>>()
  const known = new Map<string, KnownServer>()
  let prefersIpv6 = false

  function once(key: string, send: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = sent.get(key) ?? send()
    sent.set(key, outcome)
    return outcome
  }

  async function send(key: string, endpoint: Endpoint, spec: QuerySpec, tcpFirst = false): Promise<Outcome> {
    const traits = known.get(key) ?? {}
    known.set(key, traits)
    if (traits.isSilent) return failure('timeout')
    const outcome = await exchange(endpoint, spec, { limits, budget, traits, tcpFirst })
    if (outcome.kind === 'failure' && outcome.reason === 'timeout') traits.isSilent = true
    return outcome
  }

  async function sendTo({ address }: Server, spec: QuerySpec, proof: boolean): Promise<Outcome> {
    if (!options.allowPrivateAddresses && reservedUse(address) !== undefined) return failure('reserved')
    return send(address, connect(address), spec, proof)
  }

  function queryResolver(
    resolver: Endpoint,
    name: string,
    type: QueryType,
    checkingDisabled = false,
  ): Promise<Outcome> {
    const server = resolverKey(resolver)
    const spec = { name, type, recursionDesired: true, checkingDisabled }
    return once(`${server} ${checkingDisabled} ${name} ${type}`, () => send(server, resolver, spec))
  }

  async function resolve(name: string, type: QueryType): Promise<Outcome> {
    let last: Outcome = failure('limit_reached')
    for (const resolver of options.resolvers) {
      last = await queryResolver(resolver, name, type)
      // Without validation, so that a zone with invalid signatures can be examined too.
      const isRejected = last.kind === 'reply' && last.rcode === 'SERVFAIL'
      if (isRejected) last = await queryResolver(resolver, name, type, true)
      if (isAnswer(last)) return last
    }
    return last
  }

  return {
    limits,
    budget,
    resolvers: options.resolvers,
    query(server, name, type, { proof = false } = {}) {
      return once(`${server.address} ${proof} ${name} ${type}`, () => sendTo(server, { name, type }, proof))
    },
    queryResolver,
    resolve,
    get prefersIpv6() {
      return prefersIpv6
    },
    preferIpv6() {
      prefersIpv6 = true
    },
    close: () => budget.close(),
  }
}

/** Whether a resolver knows the records of the name, or that there are none. */
export function isAnswer(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && /^(NOERROR|NXDOMAIN)$/.test(outcome.rcode)
}

/** Different from the key of an authoritative server, which may have the same address. */
function resolverKey({ address, port }: Endpoint): string {
  return `resolver ${address} ${port}`
}
