/** Evaluates the answers of a server without an alias: addresses, or none. */

import type { ServerAnswer } from '../lookup/answer.ts'
import { isCloudflareProxy } from '../providers/cloudflare.ts'
import type { FindingCode } from '../report.ts'
import { reservedUse } from '../wire/global-address.ts'
import type { Context } from './context.ts'

export type AddressJudgement =
  | { readonly kind: 'pass'; readonly by: 'address' }
  | { readonly kind: 'unjudged' }
  | { readonly kind: 'fail'; readonly codes: readonly FindingCode[] }

const fail = (...codes: FindingCode[]): AddressJudgement => ({ kind: 'fail', codes })

export function judgeAddresses(context: Context, answers: readonly ServerAnswer[]): AddressJudgement {
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
function judgeApex({ acceptedAddresses }: Context, a: readonly string[], aaaa: readonly string[]): AddressJudgement {
  if (acceptedAddresses.length === 0) return { kind: 'unjudged' }
  const isOurs = (address: string) => acceptedAddresses.includes(address)
  if ([...a, ...aaaa].every(isOurs)) return { kind: 'pass', by: 'address' }
  if (a.length > 0 && a.every(isOurs)) return fail(aaaa.some(isOurs) ? 'apex_partial_match' : 'aaaa_foreign')
  return [...a, ...aaaa].some(isOurs) ? fail('apex_partial_match') : fail('record_wrong_value')
}
