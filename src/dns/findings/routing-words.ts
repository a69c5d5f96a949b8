/** Messages and fixes for faults of the hostname's records, written for the owner of a shop. */

import { aliasesOf, listed, observe, type ServerAnswer } from '../lookup/answer.ts'
import type { Finding, FindingCode } from '../report.ts'
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

type Words = Omit<Draft, 'code'>

export function problemFinding(context: Context, code: FindingCode, answers: readonly ServerAnswer[]): Finding {
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
    message: `The answer for ${hostname} (${values}) comes from ${parent === zone ? record : `a wildcard record, such as *.${zone}`}: the name has no record of its own.`,
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
export function cnameValues(answers: readonly ServerAnswer[]): string[] {
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
