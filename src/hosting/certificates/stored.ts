/** Certificates for commands, as the server has stored them. */

import type { HostingConfig } from '../../config/hosting.ts'
import type { Tables } from '../../database/open.ts'
import { systemClock } from '../../lib/clock.ts'
import { caaExpectation, type KnownAuthority } from './caa.ts'
import { retryNow } from './names.ts'
import { createFindingsReader, createStatusReader } from './status.ts'
import { createCertificateStore } from './store.ts'

/** Undefined where a proxy ends TLS, and the service needs no certificates. */
export function readCertificates(tables: Tables, hosting: HostingConfig | undefined) {
  if (hosting?.httpsPort === 'off') return undefined
  const store = createCertificateStore(tables)
  const acmeDirectory = hosting?.acmeDirectory ?? ''
  const parts = { store, acmeDirectory, clock: systemClock }
  return {
    certificateOf: createStatusReader(parts),
    certificateFindings: createFindingsReader(parts),
    /** The authority that CAA records must allow. */
    caa: () => hosting && caaExpectation(hosting, storedAuthority(tables, acmeDirectory)),
    /** To be called in a transaction. A running server orders the certificate at once, unless the authority has set a limit. */
    retry(hostname: string, present: readonly string[]): void {
      const row = store.find(hostname)
      if (row) store.change(hostname, retryNow(row, present))
    },
  }
}

/** The authority and the account at it, as the server last stored them. */
export function storedAuthority(tables: Tables, acmeDirectory: string): KnownAuthority {
  const account = createCertificateStore(tables).account(acmeDirectory)
  return { caaIdentities: account?.caaIdentities ?? [], accountUri: account?.url ?? undefined }
}
