/** The endpoint of the audit log. */

import { endpoint, page } from '../endpoint/declare.ts'
import { AuditEntries } from './schemas.ts'

export const auditEndpoints = {
  listAuditEntries: endpoint({
    method: 'GET',
    path: '/audit',
    tag: 'keys',
    summary: 'Read the audit log',
    description:
      'Returns a page of the recorded actions on keys, accounts, projects and domains, the newest first. Entries are never changed.',
    scope: 'admin',
    success: page(AuditEntries, { description: 'A page of entries.', cursorName: 'audit', cacheControl: 'no-store' }),
    stability: 'beta',
  }),
}
