/** Evaluates a set of CAA records by RFC 8659, section 4, with the parameters of RFC 8657. Pure functions. */

import type { CaaExpectation } from './request.ts'
import type { CaaProperty } from './wire/record.ts'

/**
 * `unjudged`: the result depends on an `accounturi`, and the account is unknown. `critical`: a property that is marked
 * as critical is unknown.
 */
export type CaaVerdict = 'allowed' | 'unjudged' | 'forbidden' | 'wrong_method' | 'wrong_account' | 'critical'

/** Tags that certificate authorities know. Only `issue` and `issuewild` state who may issue for web servers. */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail'])

// RFC 8659 defines bit 128. Many records set bit 1 instead, and Let's Encrypt treats both the same.
const criticalFlags = 128 | 1

export interface IssueValue {
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

export function hasUnknownCritical(set: readonly CaaProperty[]): boolean {
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
