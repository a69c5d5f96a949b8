/** Joins endpoints with their handlers: one Elysia route for each. */

import { Elysia } from 'elysia'
import type { Principal } from '../keys/principal.ts'
import { createChange } from './change.ts'
import type { Endpoints, Handlers } from './declare.ts'
import type { AnyHandler, MountParts, RawParams } from './entry.ts'
import { routerPath } from './parameters.ts'
import { createRead } from './read.ts'

/** The routes of `endpoints`, handled by the functions of the same names. */
export function mount<const E extends Endpoints>(endpoints: E, handlers: Handlers<E>, parts: MountParts) {
  const routes = new Elysia({ strictPath: true, normalize: false, handler: { standardHostname: false } }).decorate(
    'principal',
    undefined as unknown as Principal,
  )
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const handle = handlers[id] as unknown as AnyHandler
    const path = routerPath(endpoint.path)
    // Elysia reads the text of the functions that it is given, and takes `return call()` for asynchronous code.
    if (endpoint.method === 'GET') {
      const read = createRead(id, endpoint, handle, parts)
      routes.get(path, ({ request, set, params, principal }) => {
        const response = read(request, set, params, principal)
        return response
      })
    } else {
      const change = createChange(id, endpoint, handle, parts)
      routes.route(endpoint.method, path, async ({ request, set, params, principal }) =>
        change(request, set, params as RawParams, principal),
      )
    }
  }
  return routes
}
