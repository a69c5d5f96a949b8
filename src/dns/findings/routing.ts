/** Decides whether the hostname leads here: evaluates the answers of each server, and then combines them. */

import { isUsable, type ServerAnswer, serverLabel, wasLeftOut } from '../lookup/answer.ts'
import { isOfWildcard } from '../lookup/strays.ts'
import type { Finding, FindingCode, Verdict } from '../report.ts'
import { matchesTarget, withoutZone } from '../target.ts'
import { reservedUse } from '../wire/global-address.ts'
import { type Context, findingFrom } from './context.ts'
import { leftOut, noAnswer, zoneFault } from './delegation.ts'
import { isCloudflareProxy } from './providers.ts'
import { cnameValues, problemFinding } from './routing-words.ts'

/** The verdict on one server's answers for A and AAAA. */
export type Judged = { readonly answers: readonly ServerAnswer[] } & (
  | { readonly kind: 'pass'; readonly by: 'cname' | 'address' }
  /** There is no fault, and no expectation to compare with. */
  | { readonly kind: 'unjudged' }
  /** The servers of the CNAME's target did not reply. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'fail'; readonly codes: readonly FindingCode[] }
)

export interface RoutingResult {
  readonly verdict: Verdict
  readonly by: 'cname' | 'address' | null
  readonly findings: readonly Finding[]
}

export function judgeRouting(context: Context): RoutingResult {
  const { addresses } = context.facts
  const byServer = [...Map.groupBy(addresses, ({ server }) => serverLabel(server)).values()]
  const usable = byServer.filter((answers) => answers.every(isUsable))
  if (usable.length === 0) return { verdict: 'unknown', by: null, findings: [noAnswer(context, addresses)] }
  const judged = usable.map((answers) => ofWildcard(context, judgeServer(context, answers)))
  const failed = judged.filter((result) => result.kind === 'fail')
  const isMixed = failed.length > 0 && failed.length < judged.length
  if (isMixed) return { verdict: 'failed', by: null, findings: [disagreement(context, judged)] }
  if (failed.length > 0) return { verdict: 'failed', by: null, findings: problems(context, failed) }
  if (judged.some(({ kind }) => kind === 'unknown')) {
    return { verdict: 'unknown', by: null, findings: [unknownChain(context)] }
  }
  if (addresses.some(wasLeftOut)) return { verdict: 'unknown', by: null, findings: [leftOut(context, addresses)] }
  if (judged.every(({ kind }) => kind === 'unjudged')) {
    return { verdict: 'not_checked', by: null, findings: unexpectedDifference(context, usable) }
  }
  const by = judged.some((result) => result.kind === 'pass' && result.by === 'address') ? 'address' : 'cname'
  return { verdict: 'verified', by, findings: [] }
}

/** Wrong records that are not the name's own must not be changed: it needs one of its own, which takes precedence. */
function ofWildcard({ facts, isApex }: Context, judged: Judged): Judged {
  const isWrong = judged.kind === 'fail' && !isApex && isOfWildcard(judged.answers, facts.wildcard)
  return isWrong ? { ...judged, codes: ['wildcard_matched'] } : judged
}

function judgeServer(context: Context, answers: readonly ServerAnswer[]): Judged {
  const alias = answers.flatMap((answer) => answer.alias ?? [])[0]
  if (!alias) return { answers, ...judgeAddresses(context, answers) }
  // A server with an alias for one type and records for the other violates RFC 1034, section 3.6.2.
  const beside = answers.filter(({ records }) => records.length > 0)
  if (beside.length > 0 && !context.isApex) {
    return { answers, kind: 'fail', codes: beside.map(({ type }) => (type === 'A' ? 'conflict_a' : 'conflict_aaaa')) }
  }
  if (!context.isApex && cnameValues(answers).length > 1) return { answers, kind: 'fail', codes: ['conflict_other'] }
  return { answers, ...judgeAlias(context, alias.value) }
}

type Judgement = Judged extends infer J ? (J extends unknown ? Omit<J, 'answers'> : never) : never

const fail = (...codes: FindingCode[]): Judgement => ({ kind: 'fail', codes })

function judgeAlias(context: Context, target: string): Judgement {
  const { targets, zone, facts, isApex } = context
  if (isApex) return fail('apex_needs_alias')
  if (targets.some((wanted) => matchesTarget(target, wanted))) return { kind: 'pass', by: 'cname' }
  if (withoutZone(target, zone, targets) !== undefined) return fail('target_doubled')
  const chain = facts.chain
  const isFollowed = chain?.hops[0]?.target === target
  if (isFollowed) {
    if (chain.end === 'loop') return fail('cname_loop')
    if (chain.end === 'too_long') return fail('cname_too_long')
    if (chain.end === 'target' && !chain.isDisputed) return { kind: 'pass', by: 'cname' }
    if (chain.end === 'unknown') return { kind: 'unknown' }
  }
  if (targets.length > 0) return fail('record_wrong_value')
  return isFollowed && chain.end === 'empty' ? fail('record_wrong_value') : { kind: 'unjudged' }
}

function judgeAddresses(context: Context, answers: readonly ServerAnswer[]): Judgement {
  const valuesOf = (type: string) =>
    answers.filter((answer) => answer.type === type).flatMap(({ records }) => records.map(({ value }) => value))
  const a = valuesOf('A')
  const aaaa = valuesOf('AAAA')
  if (a.length + aaaa.length === 0) return fail(missingCode(context))
  const foreign = [...a, ...aaaa].filter((address) => !context.acceptedAddresses.includes(address))
  // Cloudflare's proxy takes over all addresses of a name: beside one of ours, another record is wrong.
  const hasOurs = foreign.length < a.length + aaaa.length
  if (!hasOurs && foreign.every(isCloudflareProxy) && isExpected(context)) return fail('proxied')
  const isReserved = (address: string) => reservedUse(address) !== undefined
  if (!context.allowPrivateAddresses && foreign.some(isReserved)) return fail('reserved_address')
  if (context.isApex) return judgeApex(context, a, aaaa)
  if (context.targets.length === 0) return { kind: 'unjudged' }
  const conflicts: FindingCode[] = []
  if (a.length > 0) conflicts.push('conflict_a')
  if (aaaa.length > 0) conflicts.push('conflict_aaaa')
  return fail(...conflicts)
}

function isExpected({ targets, acceptedAddresses }: Context): boolean {
  return targets.length + acceptedAddresses.length > 0
}

function missingCode(context: Context): FindingCode {
  const { strays } = context.facts
  if (strays?.doubled) return 'label_doubled'
  if (context.isApex && isExpected(context)) return 'apex_needs_alias'
  return strays && strays.others.length > 0 && context.targets.length > 0 ? 'conflict_other' : 'record_missing'
}

/** An ALIAS passes if it resolves to public addresses of this machine and to nothing else. */
function judgeApex({ acceptedAddresses }: Context, a: readonly string[], aaaa: readonly string[]): Judgement {
  if (acceptedAddresses.length === 0) return { kind: 'unjudged' }
  const isOurs = (address: string) => acceptedAddresses.includes(address)
  if ([...a, ...aaaa].every(isOurs)) return { kind: 'pass', by: 'address' }
  if (a.length > 0 && a.every(isOurs)) return fail(aaaa.some(isOurs) ? 'apex_partial_match' : 'aaaa_foreign')
  return [...a, ...aaaa].some(isOurs) ? fail('apex_partial_match') : fail('record_wrong_value')
}

/** The servers of the CNAME's target did not reply: the target may lead to the expected one by a further CNAME. */
function unknownChain(context: Context): Finding {
  const { hops = [], fault, zone, last = [] } = context.facts.chain ?? {}
  const cause = fault ? zoneFault(context, fault) : noAnswer(context, last, zone)
  return { ...cause, message: `${context.hostname} points at ${hops[0]?.target}. ${cause.message}` }
}

/** One finding for each code, with the answers of all servers that have the fault. */
function problems(context: Context, failed: readonly Judged[]): Finding[] {
  const byCode = new Map<FindingCode, ServerAnswer[]>()
  for (const result of failed) {
    if (result.kind !== 'fail') continue
    for (const code of result.codes) byCode.set(code, [...(byCode.get(code) ?? []), ...result.answers])
  }
  return [...byCode].map(([code, answers]) => problemFinding(context, code, answers))
}

function disagreement(context: Context, judged: readonly Judged[]): Finding {
  const failed = judged.filter((result) => result.kind === 'fail')
  const [first] = problems(context, failed)
  const names = failed.map(({ answers }) => (answers[0] ? serverLabel(answers[0].server) : ''))
  const all = judged.flatMap(({ answers }) => answers)
  return findingFrom(context, all, {
    code: 'nameservers_disagree',
    type: first?.type ?? 'A',
    expected: first?.expected ?? [],
    expiresAt: first?.expiresAt ?? null,
    message: `The name servers of ${context.zone} give different answers for ${context.hostname}. Wrong are ${names.join(', ')}: ${first?.message ?? ''}`,
    fix: `If the record was changed within the last hour, wait and check again: the provider is still copying it. If not, tell your DNS provider that these servers hold an old copy. ${first?.fix ?? ''}`,
  })
}

/** Without an expectation, the servers of a zone should still have the same answers. */
function unexpectedDifference(context: Context, usable: readonly (readonly ServerAnswer[])[]): Finding[] {
  const shown = usable.map((answers) =>
    answers.flatMap(({ alias, records }) => (alias ? [alias.value] : records.map(({ value }) => value))),
  )
  const differs = shown.some((values) => [...new Set(values)].sort().join() !== [...new Set(shown[0])].sort().join())
  if (!differs) return []
  return [
    findingFrom(context, usable.flat(), {
      code: 'nameservers_disagree',
      severity: 'warning',
      message: `The name servers of ${context.zone} give different addresses for ${context.hostname}.`,
      fix: 'If the record was changed within the last hour, wait and check again. Some providers answer differently by region or turn; then nothing is wrong.',
    }),
  ]
}
