/**
 * The shape of an API key: an environment's prefix, 30 random base62 characters, and 6 characters with their
 * CRC-32. The checksum lets the service reject a typing error without a query, and lets secret scanners
 * distinguish a key from random text. GitHub's tokens have the same form.
 */

import { type Environment, environments } from '../../lib/environment.ts'

/** The states of a key. A key has the first that applies: revoked, expired, banned, active. */
export const keyStates = ['active', 'banned', 'expired', 'revoked'] as const
export type KeyState = (typeof keyStates)[number]

/** How long before its expiry a key is reported as expiring, in milliseconds: 14 days. */
export const expiringMs = 14 * 86_400_000

const prefixes: Record<Environment, string> = { production: 'pet_live_', staging: 'pet_test_' }

/** The pattern of all keys, for JSON Schema. */
export const keyPattern = '^pet_(live|test)_[0-9A-Za-z]{36}$'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const bodyLength = randomLength + checksumLength

/** The number of characters of a key that may be shown and stored: the prefix and four more. */
const visibleLength = 13

/** The 6 base62 characters of the CRC-32 (ISO-HDLC, as in zlib) of `text`. */
export function checksum(text: string): string {
  let rest = Bun.hash.crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** A new key, with 178 bits of entropy. */
export function generateKey(environment: Environment): string {
  let random = ''
  while (random.length < randomLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(64))) {
      // 248 is the largest multiple of 62 in a byte: beyond it some characters would be likelier.
      if (byte < 248 && random.length < randomLength) random += alphabet.charAt(byte % 62)
    }
  }
  return prefixes[environment] + random + checksum(random)
}

/**
 * A well-formed key whose random characters begin with those of `text`, followed by zeros: for tests, since anybody can
 * guess it.
 */
export function suggestedKey(environment: Environment, text: string): string {
  const characters = text.replace(/^pet_(live|test)_/, '').replaceAll(/[^0-9A-Za-z]/g, '')
  const random = characters.slice(0, randomLength).padEnd(randomLength, '0')
  return prefixes[environment] + random + checksum(random)
}

/** The environment of a well-formed key; undefined for a text that is not a key. */
export function environmentOf(key: string): Environment | undefined {
  const environment = environments.find((name) => key.startsWith(prefixes[name]))
  if (!environment) return undefined
  const body = key.slice(prefixes[environment].length)
  if (body.length !== bodyLength || !/^[0-9A-Za-z]+$/.test(body)) return undefined
  return checksum(body.slice(0, randomLength)) === body.slice(randomLength) ? environment : undefined
}

/** The part of a key that may be shown. */
export function visiblePart(key: string): string {
  return key.slice(0, visibleLength)
}

/** The SHA-256 of a key, under which it is stored. 178 random bits need no slow hash. */
export function sha256(key: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(key).digest()
}
