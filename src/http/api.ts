/** The API: admission in front, one error hook behind, and every feature mounted between. */

import { accountRoutes } from '../accounts/routes.ts'
import type { App } from '../app.ts'
import { auditRoutes } from '../audit/routes.ts'
import { categoryRoutes } from '../categories/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { orderRoutes } from '../orders/routes.ts'
import { deprecationHeadersOf } from '../pets/deprecation.ts'
import { petRoutes } from '../pets/routes.ts'
import { createAdmission } from './admission.ts'
import { createErrorHandler, createUnrouted } from './errors.ts'
import { feature } from './feature.ts'

/** Every feature, below `/v1`. */
export function features(app: App) {
  return feature({ prefix: '/v1' })
    .use(petRoutes(app))
    .use(categoryRoutes(app))
    .use(orderRoutes(app))
    .use(accountRoutes(app))
    .use(keyRoutes(app))
    .use(auditRoutes(app))
}

export function createApi(app: App) {
  const mounted = features(app)
  const admit = createAdmission({ ...app, operationHeaders: deprecationHeadersOf })
  const writeError = createErrorHandler({
    log: app.log,
    storageError: app.faults.readFailed,
    unrouted: createUnrouted(mounted.routes),
  })
  return (
    feature({ prefix: '' })
      // Elysia reads the text of its hooks: handing `context` itself on would have it parse all of every request.
      .onRequest((context) => {
        const admitted = admit(context.request, context.set)
        if (typeof admitted === 'string') return admitted
        context.caller = admitted
        return undefined
      })
      .onError(({ error, code, set, request }) => {
        const body = writeError({ error, code, set, request })
        return body
      })
      .use(mounted)
  )
}
