/** The endpoint of the audit log. */

import { endpoint, page } from '../../api/endpoint.ts'
import { AuditEntries, auditFilters } from './schemas.ts'

export const auditEndpoints = {
  listAuditEntries: endpoint({
    method: 'GET',
    path: '/audit',
    tag: 'keys',
    summary: 'Read the audit log',
    description:
      'Returns a page of the recorded actions, the newest first: on accounts, keys, projects and domains, sign-ins, imports and backups, and the changes of animals by the owner and by commands, of which the newest 20,000 are kept. Entries are never changed. All filters combine; with one of them a page can end early and still have a `Link`.',
    scope: 'admin',
    query: auditFilters,
    success: page(AuditEntries, { description: 'A page of entries.', cursorName: 'audit', cacheControl: 'no-store' }),
    stability: 'beta',
  }),
}
