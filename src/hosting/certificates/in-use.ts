/** The certificates that the HTTPS listener has at hand, by name. */

import { nodeCrypto } from '../../lib/node/modules.ts'
import type { Certificate } from '../../server/front/tls/secure.ts'

/** Where certificates come from, and when they change. */
export interface CertificateSource {
  usable(): Iterable<Certificate & { readonly serverName: string }>
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

/** A certificate for many names. */
export interface Wildcard extends Certificate {
  covers(name: string): boolean
}

export interface CertificatesInUse {
  /** The same object until the certificate of the name changes. */
  find(name: string): Certificate | undefined
  /** Replaces the certificate for many names. */
  setWildcard(wildcard: Wildcard | undefined): void
}

/** A certificate of a name's own comes before one for many names. */
export function createCertificatesInUse(source: CertificateSource, onChange: () => void): CertificatesInUse {
  let byName: Map<string, Certificate> | undefined
  let wildcard: Wildcard | undefined
  let isAnnounced = false

  /** Many certificates may change in one turn, as at the start. */
  function announce(): void {
    byName = undefined
    if (isAnnounced) return
    isAnnounced = true
    queueMicrotask(() => {
      isAnnounced = false
      onChange()
    })
  }

  source.subscribe(announce)
  return {
    find(name) {
      byName ??= new Map([...source.usable()].map((one) => [one.serverName, one]))
      return byName.get(name) ?? (wildcard?.covers(name) ? wildcard : undefined)
    },
    setWildcard(next) {
      wildcard = next
      announce()
    },
  }
}

/** Throws an Error that says in words for people why the certificate can't be used. */
export function readWildcard({ cert, key }: Certificate): Wildcard {
  const { createPrivateKey, X509Certificate } = nodeCrypto()
  const leaf = parse(() => new X509Certificate(cert), 'the certificate is not a certificate in PEM')
  const privateKey = parse(() => createPrivateKey(key), 'the key is not a private key in PEM, or needs a passphrase')
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('the key does not belong to the certificate')
  return { cert, key, covers: (name) => leaf.checkHost(name, { subject: 'never' }) !== undefined }
}

function parse<T>(read: () => T, message: string): T {
  try {
    return read()
  } catch (cause) {
    throw new Error(message, { cause })
  }
}
