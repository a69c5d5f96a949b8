/** The handler of the endpoint for the settings of the service. It measures the size of the data directory. */

import { lstat, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Hold } from '../../access/owner/hold.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { timeOrNull } from '../../api/schemas.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { DomainHosting } from '../../hosting/domains/parts.ts'
import { toCertificate } from '../../hosting/projects/view.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Container } from '../../lib/container.ts'
import type { Environment } from '../../lib/environment.ts'
import { codeOf } from '../../lib/system-error.ts'
import { version } from '../../lib/version.ts'
import type { DatabaseSize } from '../metrics/database-size.ts'
import { systemEndpoints } from './endpoints.ts'
import type { RunsAs } from './schemas.ts'

export const systemRoutes = (parts: {
  readonly databasePath: string
  readonly executable: string | undefined
  readonly runsAs: RunsAs
  readonly container: Container | undefined
  readonly databaseSize: () => DatabaseSize
  readonly listening: { readonly address: string | null }
  readonly hosting: HostingConfig | undefined
  readonly domainHosting: Pick<DomainHosting, 'certificateOf'>
  readonly hold: Pick<Hold, 'sinceMs'>
  readonly environment: Environment
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}) => {
  const { databasePath, databaseSize, hosting, domainHosting, clock } = parts
  const folder = databasePath === ':memory:' ? null : dirname(databasePath)
  const sizeOfFolder = folder === null ? async () => databaseSize().databaseBytes ?? 0 : createFolderSize(folder, clock)
  /** Null where the service orders no certificate for its own address. */
  function apiCertificate() {
    const { certificateOf } = domainHosting
    if (hosting === undefined || hosting.platformCert !== undefined || certificateOf === undefined) return null
    return toCertificate(certificateOf(`api.${hosting.platformDomain}`))
  }

  return mount(
    systemEndpoints,
    {
      getSystem: async () => ({
        version,
        environment: parts.environment,
        address: parts.listening.address,
        sitesDomain: hosting?.sitesDomain ?? null,
        certificate: apiCertificate(),
        executable: parts.executable ?? null,
        runsAs: parts.runsAs,
        container: parts.container ?? null,
        folder,
        heldSince: timeOrNull(parts.hold.sinceMs()),
        bytes: await sizeOfFolder(),
      }),
    },
    parts.endpointParts,
  )
}

/** How long a size is used, in milliseconds. */
const keptMs = 10_000

/**
 * Returns a function that resolves to the size of the files below `path` in bytes, without those that vanish meanwhile.
 * It reads them one by one in the background, because there may be many.
 */
export function createFolderSize(path: string, clock: Pick<Clock, 'monotonic'>): () => Promise<number> {
  let result: Promise<number> | undefined
  let finishedMs = Number.NEGATIVE_INFINITY
  let isReading = false

  return () => {
    if (!result || (!isReading && clock.monotonic() - finishedMs >= keptMs)) {
      isReading = true
      result = sizeOf(path).finally(() => {
        isReading = false
        finishedMs = clock.monotonic()
      })
    }
    return result
  }
}

/**
 * `seen` has the files with several names that were counted: a content that backups share with the store counts once.
 */
async function sizeOf(path: string, seen = new Set<number>()): Promise<number> {
  let bytes = 0
  try {
    for await (const entry of await opendir(path)) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) bytes += await sizeOf(inner, seen)
      else if (entry.isFile())
        bytes += await lstat(inner).then(
          ({ size, nlink, ino }) => {
            if (nlink > 1 && seen.has(ino)) return 0
            if (nlink > 1) seen.add(ino)
            return size
          },
          () => 0,
        )
    }
  } catch (error) {
    // Directories of other users, such as `lost+found`, are left out too.
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error
  }
  return bytes
}
