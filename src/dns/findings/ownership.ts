/** Findings about the TXT record that proves to which account the domain belongs. */

import { isUsable, observe, type ServerAnswer, wasLeftOut } from '../lookup/answer.ts'
import { isOfWildcard } from '../lookup/strays.ts'
import type { Finding, Verdict } from '../report.ts'
import { ownershipName, relativeName } from '../target.ts'
import { atProvider, type Context, cnameWords, type Draft, finding, findingFrom } from './context.ts'
import { leftOut, noAnswer } from './delegation.ts'

export interface OwnershipResult {
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
}

export function judgeOwnership(context: Context): OwnershipResult {
  const token = context.request.ownershipToken
  const answers = context.facts.ownership
  if (token === undefined) return { verdict: 'not_checked', findings: [] }
  // The zone was not found, which other findings explain.
  if (!answers) return { verdict: 'unknown', findings: [] }
  if (ownershipName(context.hostname).length > 253) return { verdict: 'failed', findings: [tooLong(context)] }
  const usable = answers.filter(isUsable)
  if (usable.length === 0) return { verdict: 'unknown', findings: [noAnswer(context, answers)] }
  const right = usable.filter(({ records }) => records.some(({ value }) => value === token))
  const isCut = right.length === usable.length && answers.some(wasLeftOut)
  if (isCut) return { verdict: 'unknown', findings: [leftOut(context, answers)] }
  if (right.length === usable.length) return { verdict: 'verified', findings: [] }
  const wrong = usable.filter((answer) => !right.includes(answer))
  const base = { name: ownershipName(context.hostname), type: 'TXT', expected: [token] }
  const name = relativeName(base.name, context.zone)
  if (right.length > 0) {
    const draft: Draft = {
      ...base,
      code: 'nameservers_disagree',
      message: `Some name servers of ${context.zone} have the TXT record ${base.name}, others don't.`,
      fix: 'If the record was created within the last hour, wait and check again: the provider is still copying it. If not, tell your DNS provider which servers don’t have it.',
    }
    return { verdict: 'failed', findings: [findingFrom(context, usable, draft, wrong)] }
  }
  const create = `${ownRecordFirst(context)}create a TXT record with the name "${name}" and the value ${token}`
  if (wrong.some(({ records }) => records.length > 0)) {
    const txtFinding = findingFrom(context, wrong, {
      ...base,
      code: 'txt_wrong_value',
      message: `The TXT record ${base.name} has another value.`,
      fix: `${atProvider(context)} change the TXT record "${name}": its value must be exactly ${token}, without quotes or spaces.`,
    })
    return { verdict: 'failed', findings: [txtFinding] }
  }
  const alias = wrong.flatMap((answer) => answer.alias ?? [])[0]
  if (alias && !isOfWildcard(wrong, context.facts.txtWildcard)) {
    const txtFinding = findingFrom(context, wrong, {
      ...base,
      code: 'txt_missing',
      message: `${base.name} has a CNAME record (to ${alias.value}), where the TXT record is needed that proves that the domain is yours.`,
      fix: `${atProvider(context)} delete the CNAME record "${name}", then ${create} (TTL 3600).`,
    })
    return { verdict: 'failed', findings: [txtFinding] }
  }
  const [stray] = context.facts.txtStrays
  if (stray) {
    const txtFinding = findingFrom(context, wrong, {
      ...base,
      code: 'txt_wrong_name',
      observed: [...wrong.map(observe), observe(stray)],
      message: `The TXT record with your token is at ${stray.name} instead of ${base.name}.`,
      // The token is the same for all domains of an account: that record may prove another one.
      fix: provesAnother(stray, context)
        ? `${atProvider(context)} ${create} (TTL 3600). The one at ${stray.name} may stay: it proves another name.`
        : `${atProvider(context)} change the name of the TXT record to "${name}".`,
    })
    return { verdict: 'failed', findings: [txtFinding] }
  }
  const txtFinding = findingFrom(context, wrong, {
    ...base,
    code: 'txt_missing',
    message: `The TXT record ${base.name}, which proves that the domain is yours, does not exist.`,
    fix: `${atProvider(context)} ${create} (TTL 3600).`,
  })
  return { verdict: 'failed', findings: [txtFinding] }
}

/** Whether a TXT record has the name that proves another hostname of the zone. */
function provesAnother({ name }: ServerAnswer, { hostname, zone }: Context): boolean {
  return name.startsWith(ownershipName('')) && name !== `${ownershipName(hostname)}.${zone}`
}

/** A wildcard record does not answer for a name that has a record below it (RFC 4592, section 2.2.2). */
function ownRecordFirst(context: Context): string {
  const { isApex, facts } = context
  if (isApex || !isOfWildcard(facts.addresses, facts.wildcard)) return ''
  return `first make sure that there is ${cnameWords(context)}: the wildcard record no longer answers for that name once the next record exists; then `
}

function tooLong(context: Context): Finding {
  return finding(context, {
    code: 'invalid_hostname',
    message: `${context.hostname} is too long: the name of its TXT record would have more than 253 characters.`,
    fix: 'Choose a shorter name for the shop.',
  })
}
