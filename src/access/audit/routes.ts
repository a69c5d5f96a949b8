/** The handler of the endpoint of the audit log. */

import { mount } from '../../api/endpoint/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { parseTime } from '../../lib/duration.ts'
import { auditEndpoints } from './endpoints.ts'
import { toAuditEntry } from './schemas.ts'

export const auditRoutes = ({ audit, endpointParts }: Pick<App, 'audit' | 'endpointParts'>) =>
  mount(
    auditEndpoints,
    {
      listAuditEntries({ query, after: before, most }) {
        const { actor, action, from, to, ...ids } = query
        const filter = {
          ...(actor === 'key' ? { actorKind: actor } : { actor }),
          ...(action?.includes('.') ? { action } : { actionGroup: action }),
          from: from === undefined ? undefined : parseTime(from),
          to: to === undefined ? undefined : parseTime(to),
          ...ids,
        }
        const { records, searchedTo } = audit.page(filter, before, most)
        return { records: records.map(toAuditEntry), searchedTo }
      },
    },
    endpointParts,
  )
