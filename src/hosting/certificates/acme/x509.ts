/** Certificate requests and the parts of certificates that `node:crypto` does not read. */

import { nodeCrypto } from '../../../lib/late-modules.ts'

/** Loads the library at the first order, since that takes about 10 ms. A dependency needs reflection metadata first. */
async function loadX509() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** A request for a certificate for one name, as base64url of DER. `keyPem` is the private key. */
export async function certificateRequest(hostname: string, keyPem: string): Promise<string> {
  const key = nodeCrypto().createPrivateKey(keyPem)
  const { d: _secret, ...publicJwk } = key.export({ format: 'jwk' })
  const privateDer = key.export({ type: 'pkcs8', format: 'der' })
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey('pkcs8', privateDer, algorithm, false, ['sign']),
    crypto.subtle.importKey('jwk', publicJwk as JsonWebKey, algorithm, true, ['verify']),
  ])
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509()
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: { privateKey, publicKey },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])],
  })
  return Buffer.from(request.rawData).toString('base64url')
}

/** The identifier of a certificate for ARI (RFC 9773, section 4.1); undefined without an authority key identifier. */
export async function renewalIdentifier(certificatePem: string): Promise<string | undefined> {
  const { AuthorityKeyIdentifierExtension, X509Certificate } = await loadX509()
  const certificate = new X509Certificate(certificatePem)
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (keyId === undefined) return undefined
  return `${fromHex(keyId)}.${fromHex(derInteger(certificate.serialNumber))}`
}

/** The content octets of a positive INTEGER: a first octet with the highest bit set needs a zero in front. */
function derInteger(hex: string): string {
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return Number.parseInt(even.slice(0, 1), 16) >= 8 ? `00${even}` : even
}

const fromHex = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
