/**
 * Findings about CAA records: which certificate authorities may issue for the hostname. A set of records is evaluated
 * by RFC 8659, section 4, with the parameters of RFC 8657.
 */

import { isUsable, listed, type ServerAnswer } from '../lookup/answer.ts'
import type { CaaLookup } from '../lookup/caa.ts'
import type { Finding, Verdict } from '../report.ts'
import type { CaaExpectation } from '../request.ts'
import { relativeName } from '../target.ts'
import type { CaaProperty } from '../wire/record.ts'
import { atProvider, type Context, findingFrom } from './context.ts'
import { noAnswer, zoneFault } from './delegation.ts'

export interface CaaResult {
  readonly verdict: Verdict
  readonly findings: readonly Finding[]
}

export function judgeCaaLookup(context: Context): CaaResult {
  const { caa } = context.facts
  // The zone was not found, which other findings explain.
  if (!caa) return { verdict: context.request.caa ? 'unknown' : 'not_checked', findings: [] }
  if (caa.end === 'unknown') return { verdict: 'unknown', findings: [unanswered(context, caa)] }
  const judged = caa.answers.filter(isUsable).map((answer) => ({ answer, verdict: judgeAnswer(context, answer) }))
  // A CA queries any one of the servers, so the strictest answer decides.
  for (const verdict of ['critical', 'forbidden', 'wrong_account', 'wrong_method'] as const) {
    const strict = judged.filter((judgement) => judgement.verdict === verdict).map(({ answer }) => answer)
    if (strict.length > 0) return { verdict: 'failed', findings: [problem(context, verdict, strict)] }
  }
  const isUndecided = judged.some(({ verdict }) => verdict === 'unjudged')
  if (!context.request.caa || isUndecided) return { verdict: 'not_checked', findings: [] }
  return { verdict: 'verified', findings: [] }
}

function judgeAnswer({ request }: Context, { records }: ServerAnswer): CaaVerdict {
  const set = records.flatMap(({ caa }) => caa ?? [])
  if (request.caa) return judgeCaa(set, request.caa)
  return hasUnknownCritical(set) ? 'critical' : 'unjudged'
}

function unanswered(context: Context, { name, answers, zone, fault }: CaaLookup): Finding {
  const cause = fault ? zoneFault(context, fault) : noAnswer(context, answers, zone)
  return {
    ...cause,
    name,
    expected: [],
    type: 'CAA',
    severity: context.request.caa ? 'error' : 'warning',
    message: `${cause.message} No certificate can be issued while CAA records can't be read.`,
  }
}

/** The authority that a record allows; empty for none. */
function issuerOf({ tag, value }: CaaProperty): string[] {
  if (tag.toLowerCase() !== 'issue') return []
  const parsed = parseIssueValue(value)
  return parsed ? [parsed.issuer] : []
}

function problem(context: Context, verdict: CaaVerdict, answers: readonly ServerAnswer[]): Finding {
  const { request, hostname } = context
  const at = answers[0]?.name ?? hostname
  const identities = request.caa?.identities ?? []
  const method = request.caa?.method ?? ''
  const values = listed([...new Set(answers.flatMap(({ records }) => records.map(({ value }) => value)))], '; ')
  const here = at === hostname || at.endsWith(`.${context.zone}`) || at === context.zone
  const where = here ? atProvider(context) : `Where ${at} is managed,`
  const record = `the CAA records with the name "${relativeName(at, context.zone)}"`
  const allow = `0 issue "${identities[0] ?? 'the certificate authority'}"`
  const base = { expected: identities.length > 0 ? [allow] : [], type: 'CAA' }
  if (verdict === 'critical') {
    return findingFrom(context, answers, {
      ...base,
      code: 'caa_critical_unknown',
      message: `A CAA record at ${at} is marked critical and has a tag that certificate authorities don't know (${values}), so none of them issues.`,
      fix: `${where} delete that record from ${record}, or set its flags to 0.`,
    })
  }
  if (verdict === 'wrong_method') {
    return findingFrom(context, answers, {
      ...base,
      code: 'caa_method',
      message: `The CAA records at ${at} allow ${identities.join(', ')} but not by the method ${method} (${values}).`,
      fix: `${where} add ${method} to validationmethods in ${record}, or remove that parameter.`,
    })
  }
  const isAccount = verdict === 'wrong_account'
  const issuers = answers.flatMap(({ records }) => records).flatMap(({ caa }) => (caa ? issuerOf(caa) : []))
  const allowed = issuers.every((issuer) => issuer === '')
    ? `no certificate authority (${values})`
    : `other certificate authorities only (${values})`
  return findingFrom(context, answers, {
    ...base,
    code: 'caa_forbids',
    message: isAccount
      ? `The CAA records at ${at} allow ${identities.join(', ')} for another account only (${values}).`
      : `The CAA records at ${at} allow ${allowed}, not ${identities.join(' or ')}.`,
    fix: isAccount
      ? `${where} remove the parameter accounturi from ${record}, or set it to ${request.caa?.accountUri ?? 'the account of this service'}.`
      : `${where} add a CAA record with the name "${relativeName(at, context.zone)}" and the value ${allow}. The others may stay.`,
  })
}

/**
 * `unjudged`: the result depends on an `accounturi`, and the account is unknown. `critical`: a property that is marked
 * as critical is unknown.
 */
type CaaVerdict = 'allowed' | 'unjudged' | 'forbidden' | 'wrong_method' | 'wrong_account' | 'critical'

/** Tags that certificate authorities know. Only `issue` and `issuewild` state who may issue for web servers. */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail'])

// RFC 8659 defines bit 128. Many records set bit 1 instead, and Let's Encrypt treats both the same.
const criticalFlags = 128 | 1

interface IssueValue {
  /** In lower case; empty if no authority may issue. */
  readonly issuer: string
  /** Lower-case tags with their values, in order. */
  readonly parameters: readonly (readonly [string, string])[]
}

/** The value of an `issue` property, or undefined if it breaks the grammar (RFC 8659, section 4.2). */
export function parseIssueValue(value: string): IssueValue | undefined {
  const [issuerPart = '', ...rest] = value.split(';')
  const issuer = trimmed(issuerPart).toLowerCase()
  if (issuer !== '' && !/^[a-z0-9](-*[a-z0-9])*(\.[a-z0-9](-*[a-z0-9])*)*$/.test(issuer)) return undefined
  // `ca.example;` is fine, `ca.example; a=1;` is not: the grammar separates parameters and does not end them.
  const parts = rest.length === 1 && trimmed(rest[0] ?? '') === '' ? [] : rest
  const parameters: [string, string][] = []
  for (const part of parts) {
    const match = /^([a-z0-9](?:-*[a-z0-9])*)[ \t]*=[ \t]*([\x21-\x3a\x3c-\x7e]*)$/i.exec(trimmed(part))
    if (!match) return undefined
    parameters.push([(match[1] ?? '').toLowerCase(), match[2] ?? ''])
  }
  return { issuer, parameters }
}

/** In the grammar only spaces and tabs are white space. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

/**
 * Whether a set allows a certificate authority to issue for a name (not a wildcard). An empty set allows every
 * authority.
 */
export function judgeCaa(set: readonly CaaProperty[], expected: CaaExpectation): CaaVerdict {
  if (hasUnknownCritical(set)) return 'critical'
  const issue = set.filter(({ tag }) => tag.toLowerCase() === 'issue')
  if (issue.length === 0) return 'allowed'
  const verdicts = issue.map(({ value }) => judgeIssue(value, expected))
  // One property that allows is sufficient. Otherwise the verdict that is closest to it is the best explanation.
  for (const verdict of ['allowed', 'unjudged', 'wrong_method', 'wrong_account'] as const) {
    if (verdicts.includes(verdict)) return verdict
  }
  return 'forbidden'
}

function hasUnknownCritical(set: readonly CaaProperty[]): boolean {
  return set.some(({ flags, tag }) => (flags & criticalFlags) !== 0 && !knownTags.has(tag.toLowerCase()))
}

function judgeIssue(value: string, { identities, accountUri, method }: CaaExpectation): CaaVerdict {
  const parsed = parseIssueValue(value)
  if (!parsed || !identities.some((identity) => identity.toLowerCase() === parsed.issuer)) return 'forbidden'
  const methods = valuesOf(parsed, 'validationmethods')
  // RFC 8657, sections 3 and 4: a repeated parameter is never satisfied.
  if (methods.length > 1 || (methods[0] !== undefined && !methods[0].split(',').includes(method))) return 'wrong_method'
  const accounts = valuesOf(parsed, 'accounturi')
  if (accounts.length > 1) return 'wrong_account'
  if (accounts[0] === undefined || accounts[0] === accountUri) return 'allowed'
  return accountUri === undefined ? 'unjudged' : 'wrong_account'
}

function valuesOf({ parameters }: IssueValue, tag: string): string[] {
  return parameters.filter(([name]) => name === tag).map(([, value]) => value)
}
