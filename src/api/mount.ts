/** Connects endpoints with their handlers: one Elysia route for each endpoint. */

import { Elysia } from 'elysia'
import { createChange } from './change.ts'
import type { Endpoints, Handlers } from './endpoint.ts'
import { routerPath } from './parameters.ts'
import { Admitted } from './principal.ts'
import { createRead, createSlowRead, createStreamRead } from './read.ts'
import type { AnyHandler, EndpointParts, MaySee } from './route.ts'

/**
 * Returns the routes of `endpoints`. Each is handled by the function of the same name in `handlers`. `maySee` is for
 * POSTs whose records some keys of the account may not see.
 */
export function mount<const E extends Endpoints>(
  endpoints: E,
  handlers: Handlers<E>,
  parts: EndpointParts,
  maySee: { readonly [K in keyof E]?: MaySee } = {},
) {
  const routes = new Elysia({ strictPath: true, normalize: false }).decorate('admitted', new Admitted())
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const handle = handlers[id] as AnyHandler
    const path = routerPath(endpoint.path)
    // The rest of the operation is created when the OpenAPI document is requested.
    const hook = { detail: { operationId: id } }
    if (endpoint.success.kind === 'gathered' || endpoint.success.kind === 'file') {
      routes.get(path, createSlowRead(id, endpoint, handle, parts), hook)
    } else if (endpoint.success.kind === 'eventStream') {
      routes.get(path, createStreamRead(id, endpoint, handle, parts).bind(undefined), hook)
    } else if (endpoint.method === 'GET') {
      // Elysia reads the source text of a handler and awaits a handler that looks asynchronous, which reduces the rate
      // of requests to a twentieth. A bound function hides its text.
      routes.get(path, createRead(id, endpoint, handle, parts).bind(undefined), hook)
    } else {
      routes.route(endpoint.method, path, createChange(id, endpoint, handle, parts, maySee[id]), hook)
    }
  }
  return routes
}
