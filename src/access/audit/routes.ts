/** The handler of the endpoint of the audit log. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { parseTime } from '../../lib/duration.ts'
import { auditEndpoints } from './endpoints.ts'
import { toAuditEntry } from './schemas.ts'
import type { AuditStore } from './store.ts'

interface AuditRouteParts {
  readonly audit: AuditStore
  readonly endpointParts: EndpointParts
}

export const auditRoutes = ({ audit, endpointParts }: AuditRouteParts) =>
  mount(
    auditEndpoints,
    {
      listAuditEntries({ query, cursorId, fetchLimit }) {
        const { actor, action, from, to, ...ids } = query
        const filter = {
          ...(actor === 'key' ? { actorKind: actor } : { actor }),
          ...(action?.includes('.') ? { action } : { actionGroup: action }),
          from: from === undefined ? undefined : parseTime(from),
          to: to === undefined ? undefined : parseTime(to),
          ...ids,
        }
        const { records, searchedTo } = audit.page(filter, cursorId, fetchLimit)
        return { records: records.map(toAuditEntry), searchedTo }
      },
    },
    endpointParts,
  )
