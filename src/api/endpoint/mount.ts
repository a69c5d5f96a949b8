/** Connects endpoints with their handlers: one Elysia route for each endpoint. */

import { Elysia } from 'elysia'
import { AdmissionHeaders } from '../http/admission-headers.ts'
import type { ResponseHead } from '../http/conditions.ts'
import { nobody } from '../principal.ts'
import { createChange } from './change.ts'
import type { Endpoints, Handlers } from './declare.ts'
import { routerPath } from './parameters.ts'
import { createRead, createSlowRead } from './read.ts'
import type { AnyHandler, MaySee, MountParts, RawParams } from './request-check.ts'

/**
 * Returns the routes of `endpoints`. Each is handled by the function of the same name in `handlers`. `maySee` has those POSTs
 * whose records some keys of the account may not see.
 */
export function mount<const E extends Endpoints>(
  endpoints: E,
  handlers: Handlers<E>,
  parts: MountParts,
  maySee: { readonly [K in keyof E]?: MaySee } = {},
) {
  const routes = new Elysia({ strictPath: true, normalize: false })
    .decorate('principal', nobody)
    .decorate('admission', new AdmissionHeaders())
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const handle = handlers[id] as AnyHandler
    const path = routerPath(endpoint.path)
    // Elysia reads the source text of route functions and treats `return call()` as asynchronous code.
    if (endpoint.success.kind === 'gathered' || endpoint.success.kind === 'file') {
      const read = createSlowRead(id, endpoint, handle, parts)
      parts.directRoutes.add(endpoint.path, undefined)
      routes.get(path, async ({ request, set, params, principal, admission }) =>
        read(request, set, params, principal, admission),
      )
    } else if (endpoint.method === 'GET') {
      const route = createRead(id, endpoint, handle, parts)
      parts.directRoutes.add(endpoint.path, route)
      routes.get(path, ({ request, set, params, principal, admission }) => {
        const respond = route(request.url, params)
        const response = complete(set, respond(request, admission, principal))
        return response
      })
    } else {
      const change = createChange(id, endpoint, handle, parts, maySee[id])
      routes.route(endpoint.method, path, async ({ request, set, params, principal, admission }) => {
        const result = await change(request, set, params as RawParams, principal, admission)
        return typeof result === 'string' ? result : complete(set, result)
      })
    }
  }
  return routes
}

/** Elysia sends a response unchanged if it has no header to add. */
function complete(set: ResponseHead, response: Response): Response {
  set.headers = {}
  return response
}
