/** The handler of the endpoint of the service itself. */

import { dirname } from 'node:path'
import type { Hold } from '../../access/owner/hold.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { timeOrNull } from '../../api/schemas.ts'
import type { HostingConfig } from '../../config/hosting.ts'
import type { DomainHosting } from '../../hosting/domains/parts.ts'
import { toCertificate } from '../../hosting/projects/view.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { version } from '../../lib/version.ts'
import type { DatabaseSize } from '../metrics/database-size.ts'
import { systemEndpoints } from './endpoints.ts'
import { createFolderSize } from './folder-size.ts'
import type { RunsAs } from './schemas.ts'

export interface SystemParts {
  readonly databasePath: string
  readonly executable: string | undefined
  readonly runsAs: RunsAs
  readonly databaseSize: () => DatabaseSize
  readonly listening: { readonly address: string | null }
  readonly hosting: HostingConfig | undefined
  readonly domainHosting: Pick<DomainHosting, 'certificateOf'>
  readonly hold: Pick<Hold, 'sinceMs'>
  readonly environment: Environment
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}

export const systemRoutes = (parts: SystemParts) => {
  const {
    databasePath,
    executable,
    runsAs,
    databaseSize,
    listening,
    hosting,
    domainHosting,
    hold,
    environment,
    clock,
    endpointParts,
  } = parts
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
        environment,
        address: listening.address,
        sitesDomain: hosting?.sitesDomain ?? null,
        certificate: apiCertificate(),
        executable: executable ?? null,
        runsAs,
        folder,
        heldSince: timeOrNull(hold.sinceMs()),
        bytes: await sizeOfFolder(),
      }),
    },
    endpointParts,
  )
}
