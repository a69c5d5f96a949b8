/** Issues real certificates for tests: a root, and leaves for certificate requests. */

import 'reflect-metadata'
import { renewalIdentifier } from '../acme/x509.ts'

const dayMs = 86_400_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export async function createIssuer(commonName = 'Test CA') {
  // Its dependency expects reflection metadata to be defined before it is loaded.
  const x509 = await import('@peculiar/x509')
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${commonName}`,
    notBefore: new Date('2020-01-01'),
    notAfter: new Date('2050-01-01'),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })

  async function sign(publicKey: CryptoKey, names: readonly string[], notBeforeMs: number, notAfterMs: number) {
    // The first octet has its highest bit set, so that DER puts a zero in front.
    const serialNumber = `8${crypto.randomUUID().replaceAll('-', '').slice(0, 15)}`
    const isAddress = (name: string) => /^[\d.]+$|:/.test(name)
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber,
      issuer: root.subject,
      notBefore: new Date(notBeforeMs),
      notAfter: new Date(notAfterMs),
      signingKey: keys.privateKey,
      publicKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value })),
        ),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      ],
    })
    const keyId = leaf.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId ?? ''
    const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
    return {
      chain: `${leaf.toString('pem')}\n${root.toString('pem')}\n`,
      renewalId: `${base64url(keyId)}.${base64url(`00${serialNumber}`)}`,
    }
  }

  return {
    /** The root certificate, in PEM. */
    root: `${root.toString('pem')}\n`,
    /** Issues a certificate for a request (base64url of DER), whose signature must be valid. */
    async issue(csr: string, notBeforeMs: number, notAfterMs: number) {
      const request = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'))
      if (!(await request.verify())) throw new Error('the signature of the certificate request is not valid')
      const names =
        request.extensions.find((one) => one instanceof x509.SubjectAlternativeNameExtension)?.names.toJSON() ?? []
      const publicKey = await request.publicKey.export()
      const values = names.map(({ value }) => value)
      return { names: values, ...(await sign(publicKey, values, notBeforeMs, notAfterMs)) }
    },
    /** A new key with a certificate for `names`, in PEM, which is valid for 31 days. */
    async server(names: readonly string[], notBeforeMs = Date.now() - dayMs) {
      const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
      const key = `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`
      return { key, cert: (await sign(pair.publicKey, names, notBeforeMs, notBeforeMs + 31 * dayMs)).chain }
    },
  }
}

/**
 * The identifier for ARI of a certificate with this authority key identifier and serial number, both in hexadecimal.
 */
export async function renewalIdentifierOf(keyId: string, serialNumber: string): Promise<string | undefined> {
  const x509 = await import('@peculiar/x509')
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name: 'CN=Test',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.AuthorityKeyIdentifierExtension(keyId)],
  })
  return renewalIdentifier(certificate.toString('pem'))
}
