/** What to say of a path and method that no route takes: 405 with the methods that one does, or 404. */

import { AppError } from '../lib/error.ts'

export interface RouteShape {
  readonly method: string
  /** As Elysia writes it: `/v1/pets/:petId`. */
  readonly path: string
}

export interface Unrouted {
  readonly refusal: AppError
  /** The `Allow` header of a 405. */
  readonly allow?: string
}

export function createUnrouted(routes: readonly RouteShape[]): (method: string, path: string) => Unrouted {
  const known = routes.map(({ method, path }) => ({
    method,
    expression: new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`),
  }))
  return (method, path) => {
    const methods = new Set(known.filter(({ expression }) => expression.test(path)).map((route) => route.method))
    if (methods.size === 0) return { refusal: new AppError('not_found', 'There is nothing at this address.') }
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods].sort().join(', ')
    return {
      refusal: new AppError('method_not_allowed', `${method} is not allowed here, but ${allow}.`),
      allow,
    }
  }
}
