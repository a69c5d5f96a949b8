/** The certificates in use, in memory, where the listeners look them up for each connection. */

import { nodeCrypto } from '../../../lib/late-modules.ts'
import { readChain } from '../issue.ts'
import type { CertificateRow } from '../store.ts'
import type { KeyFiles } from './key-files.ts'

export interface UsableCertificate {
  readonly serverName: string
  /** The certificate and its chain, and the private key, in PEM. */
  readonly cert: string
  readonly key: string
  /** Unix milliseconds. An expired certificate stays in use until there is another one. */
  readonly expiresAtMs: number
}

/** The certificates in use, by name. */
export interface Served {
  usable(): Iterable<UsableCertificate>
  find(hostname: string): UsableCertificate | undefined
  set(certificates: readonly UsableCertificate[]): void
  remove(hostnames: readonly string[]): void
}

export function createServed(): Served {
  const certificates = new Map<string, UsableCertificate>()
  return {
    usable: () => certificates.values(),
    find: (hostname) => certificates.get(hostname),
    set(added) {
      for (const certificate of added) certificates.set(certificate.serverName, certificate)
    },
    remove(hostnames) {
      for (const hostname of hostnames) certificates.delete(hostname)
    },
  }
}

/**
 * Reads a certificate and its key from disk. `missing`: a file is gone or does not belong to the other. Throws
 * `storage_unavailable` if a file can't be read.
 */
export async function readUsable(
  { hostname, file, notAfter }: CertificateRow,
  files: KeyFiles,
): Promise<UsableCertificate | 'missing'> {
  if (file === null || notAfter === null) return 'missing'
  const [key, cert] = await Promise.all([files.read(file, 'key'), files.read(file, 'pem')])
  if (key === undefined || cert === undefined) return 'missing'
  try {
    const [leaf] = readChain(cert)
    if (!leaf?.checkPrivateKey(nodeCrypto().createPrivateKey(key))) return 'missing'
  } catch {
    return 'missing'
  }
  return { serverName: hostname, cert, key, expiresAtMs: notAfter }
}
