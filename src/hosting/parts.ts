/** The parts of hosting that exist before the public listeners: certificates, and the files of hosting. */

import type { HostingConfig } from '../config/hosting.ts'
import type { HttpProbe } from '../dns/http-probe.ts'
import { createHttpProbe } from '../dns/http-probe.ts'
import type { Job } from '../lib/scheduler.ts'
import {
  createHostingCertificates,
  type HostingCertificateParts,
  type HostingCertificates,
} from './certificates/hosting-certificates.ts'
import { createHostingDirectories, type HostingDirectories } from './directories.ts'
import { probePath } from './hosts.ts'

export interface HostingParts {
  /** Undefined if hosting is off, or a proxy ends TLS. */
  readonly certificates: HostingCertificates | undefined
  readonly directories: HostingDirectories | undefined
  /** The response to the probe, which no other process knows. */
  readonly probeText: string
  /** Fetches that response from a public address. */
  readonly probe: HttpProbe
  readonly jobs: readonly Job[]
  /** To be called before the database is closed. */
  close(): Promise<void>
}

type Parts = Omit<HostingCertificateParts, 'hosting' | 'filesDirectory'> & {
  readonly hosting: HostingConfig | undefined
}

export function createHostingParts(
  parts: Parts,
  { databasePath, certificateOf }: { readonly databasePath: string; readonly certificateOf?: unknown },
): HostingParts {
  const { hosting } = parts
  const probeText = `petstore ${crypto.randomUUID()}`
  const probe = createHttpProbe({
    path: probePath,
    expected: probeText,
    allowPrivateAddresses: hosting?.allowPrivateAddresses ?? false,
    isProxied: hosting?.httpsPort === 'off',
  })
  const directories = hosting && createHostingDirectories(databasePath)
  // Tests that give the state of certificates need no authority.
  const hasCertificates = hosting !== undefined && hosting.httpsPort !== 'off' && certificateOf === undefined
  const certificates =
    hasCertificates && directories
      ? createHostingCertificates({ ...parts, hosting, filesDirectory: directories.certificates })
      : undefined
  return {
    certificates,
    directories,
    probeText,
    probe,
    jobs: certificates?.jobs ?? [],
    async close() {
      await certificates?.close()
      directories?.remove()
    },
  }
}
