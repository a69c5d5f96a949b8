/** How commands show projects, with the state of certificates as the server has stored it. */

import { createStatusReader } from '../certificates/read-status.ts'
import { createCertificateStore } from '../certificates/store.ts'
import type { HostingConfig } from '../config/hosting.ts'
import type { OptionValues } from '../config/values.ts'
import { hostingOf } from '../hosting/settings.ts'
import { systemClock } from '../lib/clock.ts'
import { createProjectView, type ProjectView } from '../projects/view.ts'
import type { CommandStore } from './store.ts'

export function projectViewOf(store: Pick<CommandStore, 'tables' | 'deploys'>, values: OptionValues): ProjectView {
  const hosting = hostingOf(store.tables, values)
  return createProjectView({ deploys: store.deploys, hosting, certificateOf: certificateReader(store, hosting) })
}

/** Undefined where a proxy ends TLS, and the service needs no certificates. */
export function certificateReader({ tables }: Pick<CommandStore, 'tables'>, hosting: HostingConfig | undefined) {
  if (hosting?.httpsPort === 'off') return undefined
  const store = createCertificateStore(tables)
  return createStatusReader({ store, acmeDirectory: hosting?.acmeDirectory ?? '', clock: systemClock })
}
