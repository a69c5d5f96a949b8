/** Composes the API: the admission hook, the routes of every feature, and the error hook. */

import { Elysia } from 'elysia'
import { accountEndpoints } from '../access/accounts/endpoints.ts'
import { accountRoutes } from '../access/accounts/routes.ts'
import { createAdmission } from '../access/admission.ts'
import { auditEndpoints } from '../access/audit/endpoints.ts'
import { auditRoutes } from '../access/audit/routes.ts'
import { eventEndpoints } from '../access/events/endpoints.ts'
import { eventRoutes } from '../access/events/routes.ts'
import { keyEndpoints } from '../access/keys/endpoints.ts'
import { keyRoutes } from '../access/keys/routes.ts'
import { createAbsoluteAddresses } from '../api/absolute-addresses.ts'
import { createErrorHandler } from '../api/errors.ts'
import { Admitted } from '../api/principal.ts'
import { createOperationHeaders, createUnrouted } from '../api/unrouted.ts'
import { deployEndpoints } from '../hosting/deploys/endpoints.ts'
import { deployRoutes } from '../hosting/deploys/routes.ts'
import { domainEndpoints } from '../hosting/domains/endpoints.ts'
import { domainRoutes } from '../hosting/domains/routes.ts'
import { projectEndpoints } from '../hosting/projects/endpoints.ts'
import { projectRoutes } from '../hosting/projects/routes.ts'
import { websiteEndpoints } from '../hosting/webshop/endpoints.ts'
import { websiteRoutes } from '../hosting/webshop/routes.ts'
import { backupEndpoints } from '../operate/backups/http/endpoints.ts'
import { backupRoutes } from '../operate/backups/http/routes.ts'
import { doctorEndpoints } from '../operate/doctor/endpoints.ts'
import { doctorRoutes } from '../operate/doctor/routes.ts'
import { overviewEndpoints } from '../operate/overview/endpoints.ts'
import { overviewRoutes } from '../operate/overview/routes.ts'
import { systemEndpoints } from '../operate/system/endpoints.ts'
import { systemRoutes } from '../operate/system/routes.ts'
import { webhookEndpoints } from '../operate/webhooks/endpoints.ts'
import { webhookRoutes } from '../operate/webhooks/routes.ts'
import { categoryEndpoints } from '../shop/categories/endpoints.ts'
import { categoryRoutes } from '../shop/categories/routes.ts'
import { importEndpoints } from '../shop/imports/endpoints.ts'
import { importRoutes } from '../shop/imports/routes.ts'
import { orderEndpoints } from '../shop/orders/endpoints.ts'
import { orderRoutes } from '../shop/orders/routes.ts'
import { petEndpoints } from '../shop/pets/endpoints.ts'
import { petRoutes } from '../shop/pets/routes.ts'
import { photoEndpoints } from '../shop/photos/endpoints.ts'
import { photoRoutes } from '../shop/photos/routes.ts'
import { profileEndpoints } from '../shop/profiles/endpoints.ts'
import { profileRoutes } from '../shop/profiles/routes.ts'
import { storeSettingsEndpoints } from '../shop/settings/endpoints.ts'
import { storeSettingsRoutes } from '../shop/settings/routes.ts'
import type { App } from './app-parts.ts'

/** Every endpoint by its operation id. */
export const endpoints = {
  ...petEndpoints,
  ...profileEndpoints,
  ...photoEndpoints,
  ...categoryEndpoints,
  ...orderEndpoints,
  ...storeSettingsEndpoints,
  ...websiteEndpoints,
  ...projectEndpoints,
  ...domainEndpoints,
  ...deployEndpoints,
  ...accountEndpoints,
  ...keyEndpoints,
  ...auditEndpoints,
  ...eventEndpoints,
  ...importEndpoints,
  ...backupEndpoints,
  ...overviewEndpoints,
  ...systemEndpoints,
  ...doctorEndpoints,
  ...webhookEndpoints,
}

const options = { strictPath: true, normalize: false } as const

/** The routes of every feature, below `/v1`. */
export type Routes = ReturnType<typeof createRoutes>

function createRoutes(app: App) {
  return new Elysia(options)
    .use(petRoutes(app))
    .use(profileRoutes(app))
    .use(photoRoutes(app))
    .use(categoryRoutes(app))
    .use(orderRoutes(app))
    .use(storeSettingsRoutes(app))
    .use(websiteRoutes(app))
    .use(projectRoutes(app))
    .use(domainRoutes(app))
    .use(deployRoutes(app))
    .use(accountRoutes(app))
    .use(keyRoutes(app))
    .use(auditRoutes(app))
    .use(eventRoutes(app))
    .use(importRoutes(app))
    .use(backupRoutes(app))
    .use(overviewRoutes(app))
    .use(systemRoutes(app))
    .use(doctorRoutes(app))
    .use(webhookRoutes(app))
}

/** Serves every path below `/v1`. */
export function createApi(app: App) {
  const declared = Object.values(endpoints)
  const operationHeaders = createOperationHeaders(declared)
  const admit = createAdmission({ ...app, operationHeaders })
  const withAbsoluteAddresses = createAbsoluteAddresses(app)
  const onError = createErrorHandler({
    log: app.log,
    storageError: app.faults.readFailed,
    unrouted: createUnrouted(declared),
    operationHeaders,
  })
  const routes = createRoutes(app)
  const elysia = new Elysia(options)
    .decorate('admitted', new Admitted())
    .onRequest((context) => {
      const admitted = new Admitted()
      context.admitted = admitted
      // Elysia reads the text of a hook: it would take `return admit(…)` for asynchronous, and await it for every
      // request.
      const rejection = admit(context.request, admitted)
      if (rejection) return rejection
      return undefined
    })
    .onError(({ error, code, request, admitted }) => onError({ error, code, request, admitted }))
    .use(routes)
  return {
    fetch(request: Request): Response | Promise<Response> {
      const response = elysia.fetch(request)
      // Awaiting it would delay every response.
      if (!(response instanceof Promise)) return withAbsoluteAddresses(request, response)
      return response.then((resolved) => withAbsoluteAddresses(request, resolved))
    },
    /** The admission of a request alone, for a response that no endpoint makes. */
    admit,
    /** What the OpenAPI document describes. */
    routes,
  }
}
export type Api = ReturnType<typeof createApi>
