/** The handler of the endpoint of the audit log. */

import type { App } from '../app-parts.ts'
import { mount } from '../endpoint/mount.ts'
import { auditEndpoints } from './endpoints.ts'
import { toAuditEntry } from './schemas.ts'

export const auditRoutes = ({ audit, endpointParts }: Pick<App, 'audit' | 'endpointParts'>) =>
  mount(
    auditEndpoints,
    {
      listAuditEntries: ({ after: before = Number.MAX_SAFE_INTEGER, most }) =>
        audit.page(before, most).map(toAuditEntry),
    },
    endpointParts,
  )
