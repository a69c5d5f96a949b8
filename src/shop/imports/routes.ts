/** The handlers of the endpoints of imports. */

import { auditContextOf } from '../../access/audit/context.ts'
import { mount } from '../../api/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { AppError } from '../../lib/error.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { importEndpoints } from './endpoints.ts'
import { receiveImport } from './receive.ts'
import { removeUnfinished, undoInSteps } from './remove.ts'
import { toImport } from './schemas.ts'
import { startUndo } from './undo.ts'

type Parts = Parameters<typeof receiveImport>[0] & Pick<App, 'endpointParts'>

export const importRoutes = (app: Parts) => {
  const { imports, audit, clock, runningImports } = app

  function get(id: number) {
    const found = imports.find(id)
    if (!found) throw new AppError('not_found', `There is no import ${id}.`)
    return found
  }

  return mount(
    importEndpoints,
    {
      createImport({ body, query, principal }) {
        const { skipInvalid = false, dryRun = false, columns, statuses, fileName } = query
        const format = body.mediaType === 'text/csv' ? 'csv' : 'ndjson'
        return receiveImport(app, body, { format, columns, statuses, fileName, skipInvalid, dryRun }, principal)
      },
      listImports: ({ query: { order = 'asc' }, after, most }) =>
        imports.page(pageRange(order, after), most).map(toImport),
      getImport: ({ params }) => toImport(get(params.importId)),
      undoImport({ params: { importId }, principal, once }) {
        const context = auditContextOf(principal, clock)
        const { ownAccountId: accountId } = principal
        startUndo(app, importId)
        const assertRunning = () => runningImports.assertRunning('undo')
        const undo = async () => {
          await removeUnfinished(app, assertRunning)
          const { removed, changed, ordered } = await undoInSteps(
            app,
            importId,
            assertRunning,
            ({ removed, changed, ordered }) => {
              const details = { importId, removed, changed, ordered }
              audit.record(context, { action: 'import.undone', accountId, details })
            },
          )
          return once((commit) => commit(() => ({ id: importId, removed, changed, ordered })))
        }
        return runningImports.undo(importId, undo)
      },
    },
    app.endpointParts,
  )
}
