/**
 * Checks one name. The command, the API and the dashboard import only this module of the directory. Loading it takes 10
 * to 15 ms because of the Public Suffix List: import it at the first check.
 */

import { systemClock } from '../lib/clock.ts'
import { collect, type Facts } from './collect.ts'
import { judgeCaaLookup } from './findings/caa.ts'
import { type Context, createContext } from './findings/context.ts'
import { nameserverFindings, zoneFault } from './findings/delegation.ts'
import { judgeOwnership } from './findings/ownership.ts'
import { observeResolver, resolverFindings } from './findings/recursive.ts'
import { judgeRouting, type RoutingResult } from './findings/routing.ts'
import { observe, type ServerAnswer } from './lookup/answer.ts'
import { createSession } from './lookup/session.ts'
import { type CheckedName, checkName, isFault, type NameFault } from './name.ts'
import { bySeverity, type Finding, type Lookup, type Report } from './report.ts'
import type { CheckOptions, CheckRequest } from './request.ts'
import { normalName } from './target.ts'
import { canonicalAddress } from './wire/global-address.ts'

/**
 * Only reads; never rejects because of the behaviour of a server. Keeps the limits of time and queries (15 s and 100 by
 * default), and ends when `signal` is aborted. A verdict that needs further queries is then `unknown`.
 */
export async function checkDomain(request: CheckRequest, options: CheckOptions): Promise<Report> {
  const clock = options.clock ?? systemClock
  const startMs = clock.monotonic()
  const checkedAt = new Date(clock.now()).toISOString()
  const name = checkName(request.hostname, (request.platformDomains ?? []).map(normalName))
  if (isFault(name))
    return { ...nameReport(request.hostname, name), checkedAt, elapsedMs: 0, queries: 0, complete: true }
  const session = createSession(options)
  try {
    const facts = await collect(session, request, name)
    const nowMs = clock.now()
    const judgement = judge(request, name, facts, {
      nowMs,
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    })
    return {
      ...judgement,
      checkedAt,
      elapsedMs: Math.round(clock.monotonic() - startMs),
      queries: session.budget.spent,
      complete: !session.budget.isExhausted,
    }
  } finally {
    session.close()
  }
}

function nameReport(hostname: string, { code, message, fix }: NameFault) {
  const about = { code, severity: 'error', name: hostname, type: null, expected: [], observed: [] } as const
  return {
    hostname,
    unicodeHostname: hostname,
    zone: null,
    isApex: null,
    nameservers: [],
    routing: 'failed',
    routedBy: null,
    ownership: 'not_checked',
    caa: 'not_checked',
    findings: [{ ...about, message, fix, expiresAt: null }],
    lookups: [],
  } as const
}

type Judgement = Omit<Report, 'checkedAt' | 'elapsedMs' | 'queries' | 'complete'>

/** Derives the report from the facts. A pure function: the same facts always have the same report. */
function judge(
  request: CheckRequest,
  name: CheckedName,
  facts: Facts,
  options: { readonly nowMs: number; readonly allowPrivateAddresses: boolean },
): Judgement {
  const context = createContext({
    ...options,
    name,
    request,
    facts,
    targets: (request.cnameTargets ?? []).map(normalName),
    publicAddresses: canonical(request.publicAddresses),
    acceptedAddresses: canonical(request.acceptedAddresses ?? request.publicAddresses),
  })
  const routing = facts.fault ? faultResult(context) : judgeRouting(context)
  const ownership = judgeOwnership(context)
  const caa = judgeCaaLookup(context)
  const findings = [
    ...routing.findings,
    ...ownership.findings,
    ...caa.findings,
    ...resolverFindings(context, routing.verdict),
    ...(facts.fault ? [] : nameserverFindings(context)),
  ]
  return {
    hostname: name.hostname,
    unicodeHostname: name.unicodeHostname,
    zone: facts.fault ? null : context.zone,
    isApex: facts.fault ? null : context.isApex,
    nameservers: context.nameservers,
    routing: routing.verdict,
    routedBy: routing.by,
    ownership: ownership.verdict,
    caa: caa.verdict,
    findings: bySeverity(withoutDuplicates(findings)),
    lookups: lookupsOf(facts, name.hostname),
  }
}

const canonical = (addresses: readonly string[] = []) =>
  addresses.map((address) => canonicalAddress(address) ?? address)

/** A name that no registry knows fails. Any other fault on the way to the zone may be temporary. */
function faultResult(context: Context): RoutingResult {
  const { fault } = context.facts
  if (!fault) return { verdict: 'unknown', by: null, findings: [] }
  const isDefinite = fault.reason === 'not_registered'
  return { verdict: isDefinite ? 'failed' : 'unknown', by: null, findings: [zoneFault(context, fault)] }
}

/** A fault that was found at A, TXT and CAA is reported once. */
function withoutDuplicates(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ code, severity, name, message }) => {
    const key = [code, severity, name, message].join('\n')
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function lookupsOf({ fault, addresses, ownership = [], caa, chain, resolvers }: Facts, hostname: string): Lookup[] {
  const answers: ServerAnswer[] = [
    ...(fault?.answers ?? []),
    ...addresses,
    ...(chain?.last ?? []),
    ...ownership,
    ...(caa?.answers ?? []),
  ]
  const groups = Map.groupBy(answers, ({ name, type }) => `${type} ${name}`)
  const authoritative = [...groups.values()].flatMap((group) => {
    const [first] = group
    const observed = group.map(observe)
    return first ? [{ name: first.name, type: first.type, source: 'authoritative' as const, observed }] : []
  })
  const recursive = (['a', 'aaaa'] as const).map((type) => ({
    name: hostname,
    type: type.toUpperCase(),
    source: 'recursive' as const,
    observed: resolvers.map((view) => observeResolver(view.resolver, view[type])),
  }))
  return resolvers.length > 0 ? [...authoritative, ...recursive] : authoritative
}
