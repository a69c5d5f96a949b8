/** Findings from recursive resolvers. They show the answers that visitors get, and prove nothing. */

import { isWithin, listed, observation } from '../lookup/answer.ts'
import { isBogus, isServfail, type ResolverView, routingRecords } from '../lookup/recursive.ts'
import type { Finding, Observation, Verdict } from '../report.ts'
import { matchesTarget, typeFor } from '../target.ts'
import type { DnsRecord, Outcome, Reply } from '../wire/record.ts'
import { atProvider, type Context, finding, secondsFrom } from './context.ts'

export function resolverFindings(context: Context, routing: Verdict): Finding[] {
  const { resolvers } = context.facts
  const bogus = resolvers.filter(isBogus)
  const others = resolvers.filter((view) => !isBogus(view))
  return [
    ...(bogus.length > 0 ? [bogusFinding(context, bogus)] : []),
    // If the authoritative servers explain the fault, a resolver's failure adds no information.
    ...(routing === 'failed' ? [] : failures(context, others)),
    ...(routing === 'verified' ? propagating(context, others) : []),
  ]
}

function bogusFinding(context: Context, views: readonly ResolverView[]): Finding {
  const base = { code: 'dnssec_bogus', type: 'DS', observed: views.flatMap(observeView) } as const
  const message = (name: string) =>
    `The DNSSEC signatures of ${name} don't validate: resolvers that check them answer with a failure, and so does the certificate authority.`
  const operatorWords = (name: string) => `operator of ${name} has to correct its DS record, or its signatures.`
  const isOwn = (name: string) => isWithin(name, context.zone)
  const [alias] = views.map((view) => view.alias)
  if (alias && !isOwn(alias.value)) {
    return finding(context, {
      ...base,
      name: alias.value,
      message: `${message(alias.value)} The CNAME of ${context.hostname} leads there, and itself validates.`,
      fix: `Nothing has to change at ${context.zone}. The ${operatorWords(alias.value)}`,
    })
  }
  // A CNAME to a name of the same zone may lead on to another zone. The resolver does not say which of them fails.
  const next = alias && context.facts.chain?.hops.find(({ target }) => !isOwn(target))?.target
  return finding(context, {
    ...base,
    message: message(`${context.zone || context.hostname}${next ? ` or ${next}` : ''}`),
    fix: `If you have changed the DNS provider, delete the DS record at your registrar (or turn DNSSEC off there), and turn it on again once the new provider signs. ${atProvider(context)} check that DNSSEC is on there and that its DS record is the one at the registrar.${next ? ` If the signatures of ${context.zone} are right, the ${operatorWords(next)}` : ''}`,
  })
}

/** Failures of resolvers other than DNSSEC. They are warnings, because the authoritative servers decide. */
function failures(context: Context, views: readonly ResolverView[]): Finding[] {
  // If no zone was found, another finding reports the same fault.
  if (context.facts.fault) return []
  const servfail = views.filter(({ a, aaaa }) => isServfail(a) || isServfail(aaaa))
  const silent = views.filter(({ a }) => a.kind === 'failure' && a.reason !== 'limit_reached')
  const findings: Finding[] = []
  if (servfail.length > 0) {
    findings.push(
      finding(context, {
        code: 'dns_servfail',
        severity: 'warning',
        type: servfail.some(({ a }) => isServfail(a)) ? 'A' : 'AAAA',
        observed: servfail.flatMap(observeView),
        message: `A recursive resolver reports a failure (SERVFAIL) for ${context.hostname}.`,
        fix: 'Check again in a few minutes: the resolver may have reached a name server at a bad moment. If this continues, see the findings about name servers here.',
      }),
    )
  }
  if (silent.length > 0) {
    findings.push(
      finding(context, {
        code: 'dns_timeout',
        severity: 'warning',
        type: 'A',
        observed: silent.flatMap(observeView),
        message: `${silent.length > 1 ? 'Recursive resolvers do' : 'A recursive resolver does'} not answer: ${listed(silent.map(({ resolver }) => resolver))}.`,
        fix: 'Nothing has to change at your domain. The operator of this service should check the resolver.',
      }),
    )
  }
  return findings
}

/** The zone is right, but a resolver still has an earlier answer in its cache. */
function propagating(context: Context, views: readonly ResolverView[]): Finding[] {
  const stale = views.flatMap((view) =>
    staleReplies(context, view).map((reply) => ({ resolver: view.resolver, reply })),
  )
  if (stale.length === 0) return []
  const seconds = stale.flatMap(({ reply }) => ttlsOf(context, reply))
  const isOne = new Set(stale.map(({ resolver }) => resolver)).size === 1
  return [
    finding(context, {
      code: 'propagating',
      severity: 'info',
      type: context.isApex ? typeFor(context.publicAddresses) : 'CNAME',
      expected: context.isApex ? context.publicAddresses : context.targets,
      observed: stale.map(({ resolver, reply }) => observeResolver(resolver, reply)),
      message: `The records of ${context.hostname} are right, but ${isOne ? 'a resolver still has' : 'resolvers still have'} an earlier answer.`,
      fix: 'Wait: caches drop the earlier answer at the time given here at the latest.',
      expiresAt: seconds.length > 0 ? secondsFrom(context.nowMs, Math.max(...seconds)) : null,
    }),
  ]
}

/**
 * The outdated ones of a resolver's two replies. An apex may have only one type, so one empty reply is not outdated.
 */
function staleReplies(context: Context, { a, aaaa }: ResolverView): Reply[] {
  const replies = [a, aaaa].filter((outcome) => outcome.kind === 'reply')
  if (replies.length < 2 || replies.some(({ rcode }) => rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')) return []
  const isEmpty = replies.every((reply) => ageOf(context, reply) === 'empty')
  return isEmpty ? replies : replies.filter((reply) => ageOf(context, reply) === 'old')
}

/** Of the name's own records: those of the target of its CNAME are not used once it leads elsewhere. */
function ttlsOf({ hostname }: Context, reply: Reply): number[] {
  const records = routingRecords(reply).filter(({ name }) => name === hostname)
  if (records.length > 0) return records.map(({ ttl }) => ttl)
  const soa = reply.authorities.filter(({ type }) => type === 'SOA')
  return soa.map(({ ttl, minimum }) => Math.min(ttl, minimum ?? ttl))
}

function ageOf({ hostname, targets, acceptedAddresses }: Context, reply: Reply): 'new' | 'old' | 'empty' {
  const records = routingRecords(reply)
  const isTarget = ({ type, value }: DnsRecord) =>
    type === 'CNAME' && targets.some((target) => matchesTarget(value, target))
  if (records.some(isTarget)) return 'new'
  const own = records.filter(({ name }) => name === hostname)
  if (own.length === 0) return reply.rcode === 'NXDOMAIN' ? 'old' : 'empty'
  return own.every(({ value }) => acceptedAddresses.includes(value)) ? 'new' : 'old'
}

/** The observations of a resolver for both types; one if they are equal. */
function observeView({ resolver, a, aaaa }: ResolverView): Observation[] {
  const both = [a, aaaa].map((outcome) => observeResolver(resolver, outcome))
  return Bun.deepEquals(both[0], both[1]) ? both.slice(0, 1) : both
}

export function observeResolver(resolver: string, outcome: Outcome): Observation {
  return { ...observation(resolver, outcome, routingRecords(outcome)), authoritative: false }
}
