import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkName, isFault } from './name.ts'

const codeOf = (given: string, platform: string[] = []) => {
  const checked = checkName(given, platform)
  return isFault(checked) ? checked.code : undefined
}
const messageOf = (given: string) => {
  const checked = checkName(given)
  return isFault(checked) ? checked.message : undefined
}

describe('a hostname', () => {
  test('is normalised to lower-case A-labels without the final dot', () => {
    const names = {
      'WWW.Shop.Example': 'www.shop.example',
      'shop.example.': 'shop.example',
      ' shop.example ': 'shop.example',
      'bücher.example': 'xn--bcher-kva.example',
      'BÜCHER.example': 'xn--bcher-kva.example',
      'faß.example': 'xn--fa-hia.example',
      'ｗｗｗ。shop．example': 'www.shop.example',
      'xn--bcher-kva.example': 'xn--bcher-kva.example',
      'XN--BCHER-KVA.example': 'xn--bcher-kva.example',
    }
    for (const [given, hostname] of Object.entries(names)) expect(checkName(given)).toMatchObject({ hostname })
  })

  test('is rejected with the rule that it breaks', () => {
    const names = {
      '': 'is empty',
      '.': 'is empty',
      'a..b.com': 'has an empty label',
      '.a.com': 'has an empty label',
      'a.com..': 'has an empty label',
      '-a.com': 'begins or ends with a hyphen',
      'a-.com': 'begins or ends with a hyphen',
      [`${'a'.repeat(64)}.com`]: 'more than 63 characters',
      [`${'a.'.repeat(127)}com`]: 'longer than 253 characters',
      ['ü'.repeat(2_000)]: 'longer than 253 characters',
      'foo_bar.com': 'a character other than letters, digits and hyphens',
      'ab--cd.com': 'hyphens in third and fourth place',
      'xn--a.com': 'not a valid internationalised name',
      'xn--.com': 'not a valid internationalised name',
      'foo.123': 'ends in a number',
      'https://shop.example/': 'web address',
      'shop.example:8080': 'has a port',
      'shop.example/path': 'has a character',
      'user@shop.example': 'is an e-mail address',
      'user@': 'has a character',
      'sh%6Fp.example': 'has a character',
      'sh op.example': 'has a character',
      'a\u00adb.example': 'invisible character',
      '\u202eshop.example': 'invisible character',
      '192.0.2.1': 'is an IP address',
      '2001:db8::1': 'is an IP address',
      '[2001:db8::1]': 'is an IP address',
      '0x7f.1': 'is an IP address',
      localhost: 'ends in .localhost',
      'printer.local': 'ends in .local',
      'x.onion': 'ends in .onion',
      myshop: 'only one label',
    }
    for (const [given, message] of Object.entries(names)) {
      expect([given, codeOf(given), messageOf(given)]).toEqual([
        given,
        'invalid_hostname',
        expect.stringContaining(message),
      ])
    }
  })

  test('must be below a public suffix of the ICANN section, and not a suffix itself', () => {
    expect(['com', 'co.uk', 'CO.UK.', 'xn--p1ai'].map((given) => codeOf(given))).toEqual(
      Array(4).fill('is_public_suffix'),
    )
    expect(checkName('shop.co.uk')).toMatchObject({ publicSuffix: 'co.uk', registrableDomain: 'shop.co.uk' })
    // The private section is ignored: the operator of such a suffix owns its zone like any other.
    expect(checkName('me.github.io')).toMatchObject({ publicSuffix: 'io', registrableDomain: 'github.io' })
  })

  test('must not be a platform domain or below one', () => {
    for (const given of ['stores.example', 'x.stores.example', 'a.edge.STORES.example.']) {
      expect(codeOf(given, ['stores.example'])).toBe('platform_domain')
    }
    expect(codeOf('mystores.example', ['stores.example'])).toBeUndefined()
  })

  test('must not be a wildcard', () => {
    expect([codeOf('*.shop.example'), codeOf('www.*.example')]).toEqual(['wildcard_unsupported', 'invalid_hostname'])
  })
})

describe('any input', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.domain(),
    fc
      .array(fc.string({ unit: fc.constantFrom(...'aZ9-_.xn ü。*'), maxLength: 70 }), { maxLength: 6 })
      .map((labels) => labels.join('.')),
  )

  test('returns a name of valid labels or a fault, and never throws', () => {
    const property = fc.property(typed, (given) => {
      const checked = checkName(given)
      if (isFault(checked)) return expect(checked.message.length).toBeLessThan(250)
      const labels = checked.hostname.split('.')
      expect(checked.hostname.length).toBeLessThanOrEqual(253)
      expect(labels.length).toBeGreaterThanOrEqual(2)
      for (const label of labels) expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      return expect(checked.hostname.endsWith(checked.registrableDomain)).toBe(true)
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('with a valid name has the same result for its A-labels and its Unicode form', () => {
    const property = fc.property(typed, (given) => {
      const checked = checkName(given)
      if (isFault(checked)) return
      expect(checkName(checked.hostname)).toEqual(checked)
      expect(checkName(checked.unicodeHostname)).toEqual(checked)
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('of letters, digits and hyphens is a name', () => {
    const property = fc.property(fc.domain({ size: 'small' }), (given) => {
      // `..--` is for A-labels (RFC 5891 section 4.2.3.1); the last labels are not part of the public DNS.
      const isReserved = /(^|\.)..--|\.(alt|arpa|invalid|local|localhost|onion)$/i.test(given)
      const isSuffix = codeOf(given) === 'is_public_suffix'
      if (!isReserved && !isSuffix) expect(checkName(given)).toMatchObject({ hostname: given.toLowerCase() })
    })
    fc.assert(property, { numRuns: 100 })
  })
})
