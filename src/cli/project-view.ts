/** How commands show projects, with the state of certificates as the server has stored it. */

import type { OptionValues } from '../config/values.ts'
import { readCertificates } from '../hosting/certificates/stored.ts'
import { hostingOf } from '../hosting/settings.ts'
import { createProjectView, type ProjectView } from '../projects/view.ts'
import type { CommandStore } from './store.ts'

export function projectViewOf(store: Pick<CommandStore, 'tables' | 'deploys'>, values: OptionValues): ProjectView {
  const hosting = hostingOf(store.tables, values)
  const certificateOf = readCertificates(store.tables, hosting)?.certificateOf
  return createProjectView({ deploys: store.deploys, hosting, certificateOf })
}
