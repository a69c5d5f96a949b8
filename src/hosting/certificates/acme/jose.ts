/** Keys and signatures of ACME: ES256 over a flattened JWS (RFC 7515, RFC 8555 section 6.2). */

import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { nodeCrypto } from '../../../lib/late-modules.ts'

/** A new private key for an account or a certificate: ECDSA with P-256, as PKCS #8 in PEM. */
export async function newKey(): Promise<string> {
  const { privateKey } = await promisify(nodeCrypto().generateKeyPair)('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

export interface AccountKey {
  readonly privateKey: KeyObject
  readonly jwk: Jwk
  /** RFC 7638. */
  readonly thumbprint: string
}

interface Jwk {
  readonly crv: string
  readonly kty: string
  readonly x: string
  readonly y: string
}

/** Throws if `pem` is no ECDSA key. */
export function readAccountKey(pem: string): AccountKey {
  const privateKey = nodeCrypto().createPrivateKey(pem)
  const { crv, kty, x, y } = privateKey.export({ format: 'jwk' })
  if (kty !== 'EC' || crv !== 'P-256' || !x || !y) throw new TypeError('the key is not an ECDSA key on P-256')
  // RFC 7638, section 3.1: the members in lexicographic order.
  const jwk = { crv, kty, x, y }
  return {
    privateKey,
    jwk,
    thumbprint: nodeCrypto().createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'),
  }
}

export interface SignedRequest {
  readonly key: AccountKey
  /** The URL of the account; without it the public key is sent. */
  readonly accountUrl: string | undefined
  readonly nonce: string
  readonly url: string
  /** Undefined for POST-as-GET. */
  readonly payload: object | undefined
}

/** The body of a signed request. */
export function signRequest({ key, accountUrl, nonce, url, payload }: SignedRequest): string {
  const identity = accountUrl === undefined ? { jwk: key.jwk } : { kid: accountUrl }
  const header = encode({ alg: 'ES256', ...identity, nonce, url })
  const body = payload === undefined ? '' : encode(payload)
  const signature = nodeCrypto()
    .sign('sha256', Buffer.from(`${header}.${body}`), {
      key: key.privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    .toString('base64url')
  return JSON.stringify({ protected: header, payload: body, signature })
}

/** Credentials that a certificate authority gives its customers. */
export interface EabCredentials {
  readonly kid: string
  /** The MAC key, base64url. */
  readonly key: string
}

/** Binds a new account to a customer of the authority (RFC 8555, section 7.3.4). */
export function externalAccountBinding({ kid, key }: EabCredentials, accountKey: AccountKey, url: string): object {
  const header = encode({ alg: 'HS256', kid, url })
  const payload = encode(accountKey.jwk)
  const signature = nodeCrypto().createHmac('sha256', Buffer.from(key, 'base64url')).update(`${header}.${payload}`)
  return { protected: header, payload, signature: signature.digest('base64url') }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
