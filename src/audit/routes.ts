/** Reading the audit log, for `admin` keys. */

import type { App } from '../app.ts'
import { feature } from '../http/feature.ts'
import { needs } from '../http/input.ts'
import { pageOf, pageParameters, sendPage, writePage } from '../http/page.ts'
import { openObject } from '../http/validation.ts'
import { operation } from '../openapi/operation.ts'
import { AuditEntries, toAuditEntry } from './schemas.ts'

const list = 'audit'

export const auditRoutes = ({ audit }: Pick<App, 'audit'>) =>
  feature({ prefix: '/audit', tags: ['keys'] }).get(
    '',
    ({ query, request, set }) => {
      const { limit, after: before = Number.MAX_SAFE_INTEGER } = pageOf(query, list)
      const read = (most: number) => audit.page(before, most).map(toAuditEntry)
      return sendPage(request, set, writePage({ path: '/v1/audit', list, query: {}, limit, read }), 'no-store')
    },
    {
      transform: needs('admin', 'limit', 'cursor'),
      query: openObject(pageParameters),
      detail: operation({
        id: 'listAuditEntries',
        summary: 'Read the audit log',
        description: 'Returns who did what to keys and accounts, the newest first. Entries are never changed.',
        scope: 'admin',
        status: 200,
        answer: 'A page of entries.',
        schema: AuditEntries,
        conditional: true,
        headers: ['Link'],
        refusals: ['invalid_parameter', 'invalid_cursor'],
        stability: 'beta',
      }),
    },
  )
