/** The certificates in use, by name: each is prepared by the first connection. */

import type { Log } from '../../../lib/log.ts'
import { type Certificate, createSecureContext, type SecureContext } from './secure.ts'

export interface SecureContexts {
  /** For one connection to `name`; undefined if it has no certificate, or none that was ever usable. */
  find(name: string): SecureContext | undefined
}

/** The most recently used are kept; to prepare another takes about 0.1 ms. */
const keptContexts = 1_024

interface Prepared {
  readonly certificate: Certificate
  readonly context: SecureContext
}

/** `certificateOf` returns the same object until the certificate changes. */
export function createSecureContexts(
  certificateOf: (name: string) => Certificate | undefined,
  log: Log,
): SecureContexts {
  /** The least recently used first. */
  const prepared = new Map<string, Prepared>()
  const unusable = new WeakSet<Certificate>()

  function prepare(name: string, certificate: Certificate): Prepared | undefined {
    if (unusable.has(certificate)) return undefined
    try {
      return { certificate, context: createSecureContext(certificate) }
    } catch (error) {
      unusable.add(certificate)
      log.error('a certificate cannot be used: its name is served with the one before, or not at all', { name, error })
      return undefined
    }
  }

  return {
    find(name) {
      const certificate = certificateOf(name)
      const known = prepared.get(name)
      prepared.delete(name)
      if (certificate === undefined) return undefined
      const current = known?.certificate === certificate ? known : (prepare(name, certificate) ?? known)
      if (current === undefined) return undefined
      prepared.set(name, current)
      if (prepared.size > keptContexts) for (const oldest of prepared.keys()) if (prepared.delete(oldest)) break
      return current.context
    },
  }
}
