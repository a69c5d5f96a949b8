/** One check's access to the DNS: sends each question to each server once, within the budget. */

import { systemClock } from '../../lib/clock.ts'
import type { CheckOptions } from '../request.ts'
import { type Budget, createBudget, defaultLimits, type Limits } from '../wire/budget.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { exchange } from '../wire/exchange.ts'
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
  /** Asks an authoritative server, without recursion. `proof`: over TCP if it accepts connections. */
  ask(server: Server, name: string, type: QueryType, options?: { readonly proof?: boolean }): Promise<Outcome>
  /** Asks a recursive resolver. */
  askResolver(resolver: Endpoint, name: string, type: QueryType, checkingDisabled?: boolean): Promise<Outcome>
  /** The first useful reply of any resolver, in their order, or else the last one's outcome. */
  resolve(name: string, type: QueryType): Promise<Outcome>
  close(): void
}

export function createSession(options: CheckOptions): Session {
  const limits = { ...defaultLimits, ...options.limits }
  const budget = createBudget(limits, options.clock ?? systemClock, options.signal)
  const connect = options.connect ?? ((address) => ({ address, port: 53 }))
  const asked = new Map<string, Promise<Outcome>>()
  const silent = new Set<string>()
  const withoutTcp = new Set<string>()

  function once(key: string, send: () => Promise<Outcome>): Promise<Outcome> {
    const known = asked.get(key) ?? send()
    asked.set(key, known)
    return known
  }

  async function sendTo(server: Server, spec: QuerySpec, proof: boolean): Promise<Outcome> {
    if (!options.allowPrivateAddresses && reservedUse(server.address) !== undefined) return failure('reserved')
    // A server that was silent twice is not waited for at every question.
    if (silent.has(server.address)) return failure('timeout')
    const tcpFirst = proof && !withoutTcp.has(server.address)
    const outcome = await exchange(connect(server.address), spec, {
      limits,
      budget,
      pacer: options.pacer,
      tcpFirst,
      onTcpFailure: () => withoutTcp.add(server.address),
    })
    if (outcome.kind === 'failure' && outcome.reason === 'timeout') silent.add(server.address)
    return outcome
  }

  function askResolver(resolver: Endpoint, name: string, type: QueryType, checkingDisabled = false): Promise<Outcome> {
    const spec = { name, type, recursionDesired: true, checkingDisabled }
    const key = `${resolverKey(resolver)} ${checkingDisabled} ${name} ${type}`
    return once(key, async () => {
      if (silent.has(resolverKey(resolver))) return failure('timeout')
      const outcome = await exchange(resolver, spec, { limits, budget, pacer: options.pacer })
      if (outcome.kind === 'failure' && outcome.reason === 'timeout') silent.add(resolverKey(resolver))
      return outcome
    })
  }

  async function resolve(name: string, type: QueryType): Promise<Outcome> {
    let last: Outcome = failure('unasked')
    for (const resolver of options.resolvers) {
      last = await askResolver(resolver, name, type)
      // Where servers are is only the way to the answers: a zone with broken signatures is looked at, too.
      const isRejected = last.kind === 'reply' && last.rcode === 'SERVFAIL'
      if (isRejected) last = await askResolver(resolver, name, type, true)
      if (last.kind === 'reply' && /^(NOERROR|NXDOMAIN)$/.test(last.rcode)) return last
    }
    return last
  }

  return {
    limits,
    budget,
    resolvers: options.resolvers,
    ask(server, name, type, { proof = false } = {}) {
      return once(`${server.address} ${proof} ${name} ${type}`, () => sendTo(server, { name, type }, proof))
    },
    askResolver,
    resolve,
    close: () => budget.close(),
  }
}

/** Apart from authoritative servers, which may have the same address. */
function resolverKey({ address, port }: Endpoint): string {
  return `resolver ${address} ${port}`
}
