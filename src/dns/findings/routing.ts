/**
 * Decides whether the hostname leads here: evaluates the answers of each server, and then combines them. The messages
 * and fixes for the faults of its records are written for the owner of a shop.
 */

import { aliasesOf, isUsable, listed, observe, type ServerAnswer, serverLabel, wasLeftOut } from '../lookup/answer.ts'
import { isOfWildcard } from '../lookup/strays.ts'
import type { Finding, FindingCode, Verdict } from '../report.ts'
import { addressType, matchesTarget, relativeName, typeFor, withoutZone } from '../target.ts'
import { reservedUse } from '../wire/global-address.ts'
import type { DnsRecord } from '../wire/record.ts'
import {
  apexWords,
  atProvider,
  type Context,
  cnameWords,
  type Draft,
  expiryOf,
  findingFrom,
  missingIpv4,
  observeAll,
  recordsWith,
  targetWords,
} from './context.ts'
import { leftOut, noAnswer, zoneFault } from './delegation.ts'
import { isCloudflareProxy } from './providers.ts'

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

/** Wrong records that are not the name's own must not be changed: the name needs its own, which takes precedence. */
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
    fix: `If the record was changed within the last hour, wait and check again: the provider is still copying it. If not, tell your DNS provider that these servers have an old copy. ${first?.fix ?? ''}`,
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

type Words = Omit<Draft, 'code'>

function problemFinding(context: Context, code: FindingCode, answers: readonly ServerAnswer[]): Finding {
  const words = wordsFor(context, code, answers)
  const addresses = answers.flatMap(({ records }) => records.map(({ value }) => value))
  const typeOfAddresses = typeFor(addresses.length > 0 ? addresses : context.publicAddresses)
  const type = words.type ?? (context.isApex || context.targets.length === 0 ? typeOfAddresses : 'CNAME')
  const expected = context.isApex ? context.publicAddresses : context.targets
  const isOurs = ({ value }: DnsRecord) => context.acceptedAddresses.includes(value)
  // Below an apex, also the addresses of this service have to be replaced by a CNAME.
  const isRight = ({ alias, records }: ServerAnswer) =>
    context.isApex && !alias && records.length > 0 && records.every(isOurs)
  const wrong = answers.filter((answer) => !isRight(answer))
  return findingFrom(context, answers, { expected, ...words, type, code }, wrong)
}

function wordsFor(context: Context, code: FindingCode, answers: readonly ServerAnswer[]): Words {
  const shown = [
    ...new Set(answers.flatMap(({ alias, records }) => [alias, ...records].flatMap((record) => record?.value ?? []))),
  ]
  const values = listed(shown)
  switch (code) {
    case 'label_doubled':
      return labelDoubled(context)
    case 'target_doubled':
      return targetDoubled(context, shown[0] ?? '')
    case 'conflict_a':
    case 'conflict_aaaa':
      return conflict(context, code === 'conflict_a' ? 'A' : 'AAAA', answers)
    case 'conflict_other':
      return cnameValues(answers).length > 1 ? severalCnames(context, cnameValues(answers)) : conflictOther(context)
    case 'apex_needs_alias':
      return apexNeedsAlias(context, answers)
    case 'apex_partial_match':
    case 'aaaa_foreign':
      return foreignAddresses(context, code, shown)
    case 'cname_loop':
    case 'cname_too_long':
      return badChain(context, code)
    case 'wildcard_matched':
      return fromWildcard(context, values)
    case 'proxied':
      return proxied(context, values)
    case 'reserved_address':
      return reservedAddress(context, shown)
    case 'record_wrong_value':
      return wrongValue(context, shown)
    default:
      return missing(context)
  }
}

/** The record to create for the hostname. */
function wanted(context: Context): string {
  if (context.isApex) return apexWords(context)
  return context.targets.length > 0
    ? cnameWords(context)
    : `the record that leads to your web server, with the name "${relativeName(context.hostname, context.zone)}"`
}

function missing(context: Context): Words {
  return {
    message: `${context.hostname} has no CNAME record and no address.`,
    fix: `${atProvider(context)} create ${wanted(context)}. If you have just done so, wait until the time given here and check again.`,
  }
}

function fromWildcard(context: Context, values: string): Words {
  const { hostname, zone } = context
  const parent = hostname.slice(hostname.indexOf('.') + 1)
  const record = `the wildcard record *.${parent}`
  return {
    message: `The answer for ${hostname} (${values}) comes from ${parent === zone ? record : `a wildcard record, such as *.${zone}`}: the name does not have its own record.`,
    fix: `${atProvider(context)} create ${wanted(context)}. It takes precedence over the wildcard, which may stay. (If the provider says that "${relativeName(hostname, zone)}" has a record already, delete that one first.)`,
  }
}

function labelDoubled(context: Context): Words {
  const { hostname, zone, facts, isApex } = context
  const change = isApex
    ? `delete the record with the name "${hostname}" and create ${wanted(context)}`
    : `change the record's name from "${hostname}" to "${relativeName(hostname, zone)}": the provider appends ${zone} automatically`
  return {
    observed: facts.strays?.doubled ? [observe(facts.strays.doubled)] : [],
    message: `${hostname} has no ${isApex ? 'address' : 'record'}, but ${hostname}.${zone} has a record: the provider has appended ${zone} to the name once more.`,
    fix: `${atProvider(context)} ${change}.`,
  }
}

function targetDoubled(context: Context, value: string): Words {
  const { hostname, zone, targets } = context
  const typed = withoutZone(value, zone, targets) ?? ''
  return {
    message: `The CNAME of ${hostname} points at ${value}: the provider has appended ${zone} to the value because the final dot is missing.`,
    fix: `${atProvider(context)} change the value of the CNAME record "${relativeName(hostname, zone)}" to ${typed}. with a dot at its end.`,
  }
}

function conflict(context: Context, type: 'A' | 'AAAA', answers: readonly ServerAnswer[]): Words {
  const { hostname, zone } = context
  const wrong = answers.filter((answer) => answer.type === type)
  const values = listed([...new Set(wrong.flatMap(({ records }) => records.map(({ value }) => value)))])
  const hasCname = answers.some(({ alias }) => alias)
  return {
    type,
    observed: observeAll(wrong),
    // A CNAME beside them is not what has to be deleted.
    expiresAt: expiryOf(
      context.nowMs,
      wrong.map((answer) => ({ ...answer, alias: undefined })),
    ),
    message: `${hostname} has ${type} records (${values})${hasCname ? ' beside its CNAME' : ', where a CNAME is needed'}.`,
    fix: `${atProvider(context)} delete the ${type} records with the name "${relativeName(hostname, zone)}" (${values})${hasCname ? '.' : `, then create ${cnameWords(context)}.`}`,
  }
}

/** The values of the CNAME records in the answers. */
function cnameValues(answers: readonly ServerAnswer[]): string[] {
  return [...new Set(answers.flatMap(aliasesOf).map(({ value }) => value))]
}

function severalCnames(context: Context, values: readonly string[]): Words {
  const { hostname, zone, targets } = context
  const foreign = values.filter((value) => !targets.some((wanted) => matchesTarget(value, wanted)))
  const isThere = foreign.length < values.length
  return {
    type: 'CNAME',
    message: `${hostname} has ${values.length} CNAME records (${listed(values)}). A name can have only one: visitors get one or the other.`,
    fix: `${atProvider(context)} delete the CNAME record "${relativeName(hostname, zone)}" with the value ${listed(foreign)}${isThere ? '' : `, then create ${wanted(context)}`}.`,
  }
}

function conflictOther(context: Context): Words {
  const { hostname, zone, facts } = context
  const others = facts.strays?.others ?? []
  const types = [...new Set(others.map(({ type }) => type))]
  return {
    type: types[0] ?? null,
    observed: observeAll(others),
    message: `${hostname} has ${types.join(' and ')} records and no CNAME. A CNAME can't exist beside other records, so providers don't save it.`,
    fix: `${atProvider(context)} delete the ${types.join(' and ')} records with the name "${relativeName(hostname, zone)}" (if you need them, for e-mail for example, choose another name for the shop), then create ${cnameWords(context)}.`,
  }
}

function apexNeedsAlias(context: Context, answers: readonly ServerAnswer[]): Words {
  const { hostname, acceptedAddresses } = context
  const alias = answers.flatMap((answer) => answer.alias ?? [])[0]
  const beside = [...new Set(answers.flatMap(({ records }) => records.map(({ value }) => value)))]
  const foreign = foreignOf(context, beside)
  const right = beside.filter((address) => !foreign.includes(address))
  // While the addresses of this service are not known, those beside the CNAME may be right.
  const also = foreign.length > 0 && acceptedAddresses.length > 0 ? ` and ${recordsWith(context, foreign)}` : ''
  const rest =
    right.length > 0
      ? `${missingIpv4(context, right)}. The other records (${listed(right)}) are right`
      : `, then create ${apexWords(context)}`
  return {
    ...(alias ? { type: 'CNAME' } : {}),
    message: alias
      ? `${hostname} has a CNAME record (to ${alias.value}). A domain itself can't have one: its e-mail and its name server records stop working.`
      : `${hostname} has no address.`,
    fix: `${atProvider(context)} ${alias ? `delete this CNAME record${also}${rest}` : `create ${apexWords(context)}`}.`,
  }
}

function foreignAddresses(
  context: Context,
  code: 'apex_partial_match' | 'aaaa_foreign',
  shown: readonly string[],
): Words {
  const { hostname } = context
  const others = foreignOf(context, shown)
  const foreign = listed(others)
  const isOldIpv6 = code === 'aaaa_foreign'
  return {
    type: typeFor(others),
    message: isOldIpv6
      ? `The A records of ${hostname} are right, but its AAAA records lead elsewhere (${foreign}): visitors with IPv6 and the certificate authority are led there.`
      : `Some addresses of ${hostname} are right, but others lead elsewhere (${foreign}): some visitors don't reach your shop.`,
    fix: deleteForeign(context, shown),
  }
}

/** The fix for an apex that has right addresses besides. */
function deleteForeign(context: Context, shown: readonly string[]): string {
  return `${atProvider(context)} delete ${recordsWith(context, foreignOf(context, shown))}${missingIpv4(context, shown)}.`
}

function foreignOf({ acceptedAddresses }: Context, shown: readonly string[]): string[] {
  return shown.filter((address) => !acceptedAddresses.includes(address))
}

function badChain(context: Context, code: 'cname_loop' | 'cname_too_long'): Words {
  const { hostname, facts, zone } = context
  const hops = facts.chain?.hops ?? []
  const path = [hostname, ...hops.map(({ target }) => target)].join(' → ')
  const fault = code === 'cname_loop' ? 'form a loop' : `are more than ${hops.length} in a row`
  return {
    type: 'CNAME',
    message: `The CNAME records of ${hostname} ${fault}: ${path}.`,
    fix: `${atProvider(context)} change the CNAME record "${relativeName(hostname, zone)}" so that it points directly at ${context.targets.length > 0 ? targetWords(context.targets) : 'the final name'}.`,
  }
}

function proxied(context: Context, values: string): Words {
  const { hostname, zone, isApex } = context
  const name = relativeName(hostname, zone)
  return {
    message: `${hostname} resolves to Cloudflare's proxy (${values}). The proxy hides the record and responds instead of this service, so no certificate can be issued.`,
    fix: `At Cloudflare, turn the proxy off for the record "${name}": in DNS, Records, Edit, switch "Proxied" (orange cloud) to "DNS only" (grey cloud). ${isApex ? '' : `The record must be a CNAME with ${targetWords(context.targets)}.`}`.trim(),
  }
}

function reservedAddress(context: Context, shown: readonly string[]): Words {
  const { hostname, isApex } = context
  const reserved = shown.filter((address) => reservedUse(address) !== undefined)
  const uses = listed([...new Set(reserved.map((address) => `${address}: ${reservedUse(address)}`))])
  const hasRight = isApex && foreignOf(context, shown).length < shown.length
  return {
    type: addressType(reserved[0] ?? ''),
    message: `${hostname} has an address that cannot be reached from the internet (${uses}).`,
    fix: hasRight
      ? deleteForeign(context, shown)
      : `${atProvider(context)} delete that record and create ${wanted(context)}.`,
  }
}

function wrongValue(context: Context, shown: readonly string[]): Words {
  const { hostname, zone, isApex, targets, facts } = context
  const values = listed(shown)
  if (targets.length === 0 && !isApex && facts.chain?.end === 'empty') {
    return {
      type: 'CNAME',
      message: `${hostname} points at ${values}, which has no address.`,
      fix: `${atProvider(context)} correct the value of the CNAME record "${relativeName(hostname, zone)}".`,
    }
  }
  return {
    message: `${hostname} points at ${values}${isApex ? ', which is not this service' : ''}.`,
    fix: isApex
      ? `${atProvider(context)} delete ${recordsWith(context, shown)}, and create ${apexWords(context)}.`
      : `${atProvider(context)} change the CNAME record "${relativeName(hostname, zone)}": it must have ${targetWords(targets)} instead of ${values}.`,
  }
}
