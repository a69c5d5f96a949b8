/** The handlers of the endpoints of imports and of the export. */

import { accountFor } from '../../access/accounts/store-account.ts'
import { auditContextOf } from '../../access/audit/store.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Announcements } from '../../database/announcements.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { importEndpoints } from './endpoints.ts'
import type { Exports } from './export.ts'
import type { ImportFormat } from './file/read.ts'
import { type ReceiveParts, receiveImport } from './receive.ts'
import { toImport } from './schemas.ts'
import { undoImport } from './undo.ts'

export interface ImportParts extends ReceiveParts {
  readonly exports: Exports
  readonly announcements: Pick<Announcements, 'subscribe'>
  readonly endpointParts: EndpointParts
}

/** The format of a file of another type is found out. */
const formats: Readonly<Record<string, ImportFormat>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' }
const mediaTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

export const importRoutes = (parts: ImportParts) => {
  const { imports, audit, clock, exports, announcements } = parts
  // Another run does not know what has changed in between.
  const run = crypto.randomUUID()
  let changes = 0
  announcements.subscribe(['pets', 'categories', 'profiles'], () => changes++)

  function get(id: number) {
    const found = imports.find(id)
    if (!found) throw new AppError('not_found', `There is no import ${id}.`)
    return found
  }

  return mount(
    importEndpoints,
    {
      createImport({ body, query, principal }) {
        const { skipInvalid = false, listInvalid = false, dryRun = false, ...rest } = query
        const format = formats[body.mediaType]
        return receiveImport(parts, body, { format, skipInvalid, listInvalid, dryRun, ...rest }, principal)
      },
      listImports: ({ query: { order = 'asc' }, cursorId, fetchLimit }) =>
        imports.page(pageRange(order, cursorId), fetchLimit).map(toImport),
      getImport: ({ params }) => toImport(get(params.importId)),
      undoImport: ({ params: { importId }, principal, once }) =>
        once((commit) =>
          commit(() => {
            const undone = undoImport(parts, get(importId), clock.now())
            const { id: _, ...counts } = undone
            const context = auditContextOf(principal, clock)
            const accountId = accountFor(parts, principal, context)
            audit.add(context, { action: 'import.undone', accountId, details: { importId, ...counts } })
            return undone
          }),
        ),
      async exportPets({ query: { format = 'csv', bom = false } }) {
        exports.assertFree()
        const today = new Date(clock.now()).toISOString().slice(0, 10)
        return {
          mediaType: mediaTypes[format],
          fileName: `pets-${today}.${format}`,
          version: `${run} ${changes} ${format} ${bom}`,
          open: () => exports.open({ format, bom }),
        }
      },
    },
    parts.endpointParts,
  )
}
