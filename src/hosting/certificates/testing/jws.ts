/** Reads and verifies the signed requests that the fake certificate authority receives. */

import { createHash, createHmac, createPublicKey, verify } from 'node:crypto'

export interface JwsRequest {
  readonly nonce: string
  readonly url: string
  readonly kid: string | undefined
  readonly jwk: object | undefined
  /** Empty for POST-as-GET. */
  readonly payload: Readonly<Record<string, unknown>>
  isSignedBy(jwk: object): boolean
  isBoundBy(eab: { readonly kid: string; readonly key: string }): boolean
  thumbprint(jwk: object | undefined): string
}

interface Flattened {
  readonly protected: string
  readonly payload: string
  readonly signature: string
}

export async function readJws(request: Request): Promise<JwsRequest> {
  const jws = (await request.json()) as Flattened
  const header = decode(jws.protected)
  const payload = jws.payload === '' ? {} : decode(jws.payload)
  return {
    nonce: String(header['nonce']),
    url: String(header['url']),
    kid: header['kid'] as string | undefined,
    jwk: header['jwk'] as object | undefined,
    payload,
    isSignedBy: (jwk) =>
      header['alg'] === 'ES256' &&
      verify(
        'sha256',
        Buffer.from(`${jws.protected}.${jws.payload}`),
        { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        Buffer.from(jws.signature, 'base64url'),
      ),
    isBoundBy({ kid, key }) {
      const binding = payload['externalAccountBinding'] as Flattened | undefined
      if (!binding || decode(binding.protected)['kid'] !== kid) return false
      const mac = createHmac('sha256', Buffer.from(key, 'base64url'))
      const expected = mac.update(`${binding.protected}.${binding.payload}`).digest('base64url')
      const isSameKey = JSON.stringify(decode(binding.payload)) === JSON.stringify(header['jwk'])
      return binding.signature === expected && decode(binding.protected)['url'] === header['url'] && isSameKey
    },
    thumbprint(jwk) {
      const { crv, kty, x, y } = (jwk ?? {}) as Record<string, string>
      return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
    },
  }
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
}
