import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { environments } from '../../lib/environment.ts'
import { checksum, environmentOf, generateKey, keyPattern, sha256, visiblePart } from './rules.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62 = (text: string) => [...text].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0)

test('the checksum is the CRC-32 of zlib in six base62 digits', () => {
  // The check value of the CRC catalogue: CRC-32/ISO-HDLC of "123456789".
  expect(base62(checksum('123456789'))).toBe(0xcbf43926)
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(checksum(text)).toHaveLength(6)
      expect(base62(checksum(text))).toBe(Bun.hash.crc32(text))
    }),
  )
})

test('every generated key is recognised, with its environment', () => {
  const expression = new RegExp(keyPattern)
  for (const environment of environments) {
    const keys = Array.from({ length: 200 }, () => generateKey(environment))
    expect(new Set(keys).size).toBe(200)
    for (const key of keys) {
      expect(environmentOf(key)).toBe(environment)
      expect(key).toMatch(expression)
    }
  }
})

test('a key with a wrong, missing, added or swapped character is recognised as invalid', () => {
  const position = fc.nat({ max: 35 })
  fc.assert(
    fc.property(fc.constantFrom(...environments), position, fc.constantFrom(...alphabet), (environment, at, other) => {
      const key = generateKey(environment)
      const i = 9 + at
      const changed = key.slice(0, i) + other + key.slice(i + 1)
      if (changed !== key) expect(environmentOf(changed)).toBeUndefined()
      expect(environmentOf(key.slice(0, i) + key.slice(i + 1))).toBeUndefined()
      expect(environmentOf(key.slice(0, i) + other + key.slice(i))).toBeUndefined()
      const swapped = key.slice(0, i) + (key[i + 1] ?? '') + key[i] + key.slice(i + 2)
      if (swapped !== key) expect(environmentOf(swapped)).toBeUndefined()
    }),
    { numRuns: 1_000 },
  )
})

test('arbitrary text is not recognised as a key', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(environmentOf(text)).toBeUndefined()))
})

test('the visible part of a key is its prefix and four characters, and its hash is SHA-256', () => {
  const key = generateKey('staging')
  expect(visiblePart(key)).toBe(key.slice(0, 13))
  expect(sha256('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
