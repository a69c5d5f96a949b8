/** The handler of the endpoint of the service itself. */

import { dirname } from 'node:path'
import { mount } from '../../api/endpoint/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { toCertificate } from '../../hosting/projects/view.ts'
import { version } from '../../lib/version.ts'
import { systemEndpoints } from './endpoints.ts'
import { createFolderSize } from './folder-size.ts'

type Parts = Pick<
  App,
  | 'databasePath'
  | 'executable'
  | 'databaseSize'
  | 'listening'
  | 'hosting'
  | 'domainHosting'
  | 'environment'
  | 'clock'
  | 'endpointParts'
>

export const systemRoutes = (app: Parts) => {
  const {
    databasePath,
    executable,
    databaseSize,
    listening,
    hosting,
    domainHosting,
    environment,
    clock,
    endpointParts,
  } = app
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
        folder,
        bytes: await sizeOfFolder(),
      }),
    },
    endpointParts,
  )
}
