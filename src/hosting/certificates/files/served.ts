/** The certificates in use, in memory: for the listeners, which subscribe to changes. */

import type { Log } from '../../../lib/log.ts'
import { nodeCrypto } from '../../../lib/node/modules.ts'
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

/** Called with the names whose certificates were added, replaced or removed. */
export type ServedListener = (hostnames: readonly string[]) => void

export interface Served {
  usable(): Iterable<UsableCertificate>
  find(hostname: string): UsableCertificate | undefined
  /** Returns a function that unsubscribes. */
  subscribe(listener: ServedListener): () => void
  set(certificates: readonly UsableCertificate[]): void
  remove(hostnames: readonly string[]): void
}

export function createServed(log: Log): Served {
  const certificates = new Map<string, UsableCertificate>()
  const listeners = new Set<ServedListener>()

  function announce(hostnames: readonly string[]): void {
    if (hostnames.length === 0) return
    for (const listener of listeners) {
      try {
        listener(hostnames)
      } catch (error) {
        log.error('a subscriber failed to take a change of certificates', { error })
      }
    }
  }

  return {
    usable: () => certificates.values(),
    find: (hostname) => certificates.get(hostname),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(added) {
      for (const certificate of added) certificates.set(certificate.serverName, certificate)
      announce(added.map(({ serverName }) => serverName))
    },
    remove(hostnames) {
      announce(hostnames.filter((hostname) => certificates.delete(hostname)))
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
