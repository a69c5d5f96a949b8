/** The handler of the endpoint of the audit log. */

import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import { parseTime } from '../../lib/duration.ts'
import { auditEndpoints } from './endpoints.ts'
import { toAuditEntry } from './schemas.ts'
import type { AuditStore } from './store.ts'

export const auditRoutes = (parts: { readonly audit: AuditStore; readonly endpointParts: EndpointParts }) =>
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
        const { records, searchedTo } = parts.audit.page(filter, cursorId, fetchLimit)
        return { records: records.map(toAuditEntry), searchedTo }
      },
    },
    parts.endpointParts,
  )
