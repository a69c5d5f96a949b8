import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { judgeCaa, parseIssueValue } from './findings/caa.ts'
import type { CaaProperty } from './wire/record.ts'

const expected = { identities: ['letsencrypt.org'], method: 'http-01', accountUri: 'https://ca.example/acct/7' }
const issue = (value: string, flags = 0): CaaProperty => ({ flags, tag: 'issue', value })
const judge = (...set: CaaProperty[]) => judgeCaa(set, expected)

describe('a set of CAA records', () => {
  test('that is empty, or has no property on issuing, allows every authority', () => {
    expect(judge()).toBe('allowed')
    expect(judge({ flags: 0, tag: 'iodef', value: 'mailto:x@kiosk.example' })).toBe('allowed')
    expect(judge({ flags: 0, tag: 'tomorrow', value: 'x' })).toBe('allowed')
    // Only for wildcards (RFC 8659, section 4.3).
    expect(judge({ flags: 0, tag: 'issuewild', value: ';' })).toBe('allowed')
  })

  test('allows only the authorities that it names', () => {
    expect(judge(issue('letsencrypt.org'))).toBe('allowed')
    expect(judge(issue('LetsEncrypt.ORG'))).toBe('allowed')
    expect(judge({ flags: 0, tag: 'ISSUE', value: ' letsencrypt.org ;' })).toBe('allowed')
    expect(judge(issue('digicert.com'), issue('letsencrypt.org'))).toBe('allowed')
    for (const value of [';', '', ' ', 'digicert.com', 'letsencrypt.org.evil.example', 'xletsencrypt.org', 'org']) {
      expect([value, judge(issue(value))]).toEqual([value, 'forbidden'])
    }
  })

  test('with an invalid record allows no authority by that record', () => {
    for (const value of [
      'letsencrypt.org x',
      'letsencrypt.org; a',
      'letsencrypt.org;; a=1',
      'letsencrypt.org; a=1;',
      'letsencrypt.org.',
      'letsencrypt.org; =1',
      'letsencrypt.org; a=ü',
    ]) {
      expect([value, judge(issue(value))]).toEqual([value, 'forbidden'])
    }
  })

  test('with an unknown critical property allows no authority, with bit 128 and with the common mistake of bit 1', () => {
    expect(judge(issue('letsencrypt.org'), { flags: 128, tag: 'tomorrow', value: '' })).toBe('critical')
    expect(judge(issue('letsencrypt.org'), { flags: 1, tag: 'tomorrow', value: '' })).toBe('critical')
    expect(judge(issue('letsencrypt.org', 128))).toBe('allowed')
  })

  test('is restricted by validationmethods', () => {
    expect(judge(issue('letsencrypt.org; validationmethods=http-01'))).toBe('allowed')
    expect(judge(issue('letsencrypt.org; ValidationMethods=dns-01,http-01'))).toBe('allowed')
    expect(judge(issue('letsencrypt.org; validationmethods=dns-01'))).toBe('wrong_method')
    expect(judge(issue('letsencrypt.org; validationmethods='))).toBe('wrong_method')
    expect(judge(issue('letsencrypt.org; validationmethods=http-01; validationmethods=http-01'))).toBe('wrong_method')
  })

  test('is restricted by accounturi', () => {
    expect(judge(issue('letsencrypt.org; accounturi=https://ca.example/acct/7'))).toBe('allowed')
    expect(judge(issue('letsencrypt.org; accounturi=https://ca.example/acct/70'))).toBe('wrong_account')
    const twice = 'letsencrypt.org; accounturi=https://ca.example/acct/7; accounturi=https://ca.example/acct/8'
    expect(judge(issue(twice))).toBe('wrong_account')
    const { accountUri: _, ...unknown } = expected
    expect(judgeCaa([issue('letsencrypt.org; accounturi=https://ca.example/acct/7')], unknown)).toBe('unjudged')
  })
})

const token = fc.string({ unit: fc.constantFrom(...'abcxyz019'), minLength: 1, maxLength: 8 })
const value = fc.string({ unit: fc.constantFrom(...'aZ09:/,.=-'), maxLength: 12 })
const space = fc.constantFrom('', ' ', '\t', '  ')
const issuer = fc.array(token, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))

describe('any issue value', () => {
  test('is parsed with any white space between its parts', () => {
    const property = fc.property(
      issuer,
      fc.array(fc.tuple(token, value), { maxLength: 4 }),
      space,
      (name, parameters, blank) => {
        const text = [
          name,
          ...parameters.map(([tag, given]) => `${blank}${tag}${blank}=${blank}${given}${blank}`),
        ].join(`${blank};`)
        expect(parseIssueValue(`${blank}${text}`)).toEqual({ issuer: name, parameters })
      },
    )
    fc.assert(property, { numRuns: 200 })
  })

  const property = fc.record({
    flags: fc.integer({ min: 0, max: 255 }),
    tag: fc.constantFrom('issue', 'issuewild', 'iodef', 'tomorrow', 'Issue'),
    value: fc.oneof(
      issuer,
      fc.string({ maxLength: 30 }),
      fc.constantFrom('letsencrypt.org', ';', 'letsencrypt.org; validationmethods=dns-01'),
    ),
  })

  test('allows only if an issue record names the authority and no unknown property is critical', () => {
    const holds = fc.property(fc.array(property, { maxLength: 5 }), (set) => {
      const verdict = judgeCaa(set, expected)
      const isUnknown = set.some(({ flags, tag }) => (flags & 129) !== 0 && tag === 'tomorrow')
      expect(verdict === 'critical').toBe(isUnknown)
      if (verdict !== 'allowed') return
      const issues = set.filter(({ tag }) => tag.toLowerCase() === 'issue')
      const isNamed = issues.some(({ value: text }) => parseIssueValue(text)?.issuer === 'letsencrypt.org')
      expect(issues.length === 0 || isNamed).toBe(true)
    })
    fc.assert(holds, { numRuns: 300 })
  })

  test('has the same verdict in any order, and a further restriction never allows more', () => {
    const holds = fc.property(fc.array(property, { maxLength: 5 }), (set) => {
      const verdict = judgeCaa(set, expected)
      expect(judgeCaa(set.toReversed(), expected)).toBe(verdict)
      if (verdict === 'allowed' && set.some(({ tag }) => tag.toLowerCase() === 'issue')) return
      if (verdict !== 'allowed') expect(judgeCaa([...set, issue('digicert.com')], expected)).not.toBe('allowed')
    })
    fc.assert(holds, { numRuns: 200 })
  })
})
