/** The parts of hosting that exist before the public listeners: certificates, and the files of hosting. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostingConfig } from '../config/hosting.ts'
import type { HttpProbe } from '../dns/http-probe.ts'
import { createHttpProbe } from '../dns/http-probe.ts'
import type { Job } from '../lib/scheduler.ts'
import { certificatesDirectory } from './certificates/files/key-files.ts'
import {
  createHostingCertificates,
  type HostingCertificateParts,
  type HostingCertificates,
} from './certificates/hosting-certificates.ts'
import type { DomainHosting } from './domains/parts.ts'
import { probePath } from './hosts.ts'

/** The directories beside the database in which hosting keeps files. */
export interface HostingDirectories {
  /** Keys and certificates. */
  readonly certificates: string
  /** The sockets of inner servers, while the service runs. */
  readonly sockets: string
  /** Deletes what is not kept beyond the process. */
  remove(): void
}

export interface HostingParts {
  /** Undefined if hosting is off, or a proxy ends TLS. */
  readonly certificates: HostingCertificates | undefined
  readonly directories: HostingDirectories | undefined
  /** The response to the probe, which no other process knows. */
  readonly probeText: string
  /** Fetches that response from a public address. */
  readonly probe: HttpProbe
  jobs(domainHosting: DomainHosting): readonly Job[]
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
    jobs: (domainHosting) => certificates?.jobs(domainHosting) ?? [],
    async close() {
      await certificates?.close()
      directories?.remove()
    },
  }
}

/** The directories of a database in memory are temporary. */
function createHostingDirectories(databasePath: string): HostingDirectories {
  if (databasePath !== ':memory:') {
    const sockets = `${databasePath.replace(/\.db$/, '')}-sockets`
    return { certificates: certificatesDirectory(databasePath), sockets, remove() {} }
  }
  const root = mkdtempSync(join(tmpdir(), 'petstore-hosting-'))
  return {
    certificates: join(root, 'certificates'),
    sockets: join(root, 'sockets'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
