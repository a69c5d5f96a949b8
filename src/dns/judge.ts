/** Derives the report from the facts. A pure function: the same facts always have the same report. */

import type { Facts } from './collect.ts'
import { judgeCaaLookup } from './findings/caa.ts'
import { type Context, createContext } from './findings/context.ts'
import { nameserverFindings, zoneFault } from './findings/delegation.ts'
import { judgeOwnership } from './findings/ownership.ts'
import { observeResolver, resolverFindings } from './findings/recursive.ts'
import { judgeRouting, type RoutingResult } from './findings/routing.ts'
import { observe, type ServerAnswer } from './lookup/answer.ts'
import type { CheckedName } from './name.ts'
import { bySeverity, type Finding, type Lookup, type Report } from './report.ts'
import type { CheckRequest } from './request.ts'
import { normalName } from './target.ts'
import { canonicalAddress } from './wire/global-address.ts'

export type Judgement = Omit<Report, 'checkedAt' | 'elapsedMs' | 'queries' | 'complete'>

export interface JudgeOptions {
  readonly nowMs: number
  readonly allowPrivateAddresses: boolean
}

export function judge(request: CheckRequest, name: CheckedName, facts: Facts, options: JudgeOptions): Judgement {
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
