/** The error for a path or method that no endpoint has, and the headers of deprecated operations. */

import { AppError } from '../lib/error.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { pathExpression } from './parameters.ts'
import { pathOf } from './target.ts'

export interface Unrouted {
  readonly error: AppError
  /** The `Allow` header of a 405. */
  readonly allow?: string
}

/** Returns a function that returns the error for a request without a matching route. */
export function createUnrouted(endpoints: readonly AnyEndpoint[]): (method: string, url: string) => Unrouted {
  const known = endpoints.map(({ method, path, params }) => ({
    method,
    path: `/v1${path}`,
    expression: pathExpression(path, params),
  }))
  return (method, url) => {
    const path = pathOf(url)
    // An exact path takes precedence over those with parameters: `/backups/confirm` is not a backup.
    const exact = known.filter((endpoint) => endpoint.path === path)
    const matching = exact.length > 0 ? exact : known.filter(({ expression }) => expression.test(path))
    const methods = new Set<string>(matching.map((endpoint) => endpoint.method))
    if (methods.has('GET')) methods.add('HEAD')
    // If an endpoint has this method, it rejected a parameter of the path.
    if (methods.size === 0 || methods.has(method)) {
      return { error: new AppError('not_found', 'There is nothing at this address.') }
    }
    const allow = [...methods].sort().join(', ')
    const message = `${method} is not allowed here; allowed are ${allow}.`
    return { error: new AppError('method_not_allowed', message), allow }
  }
}

export type OperationHeaders = (method: string, url: string) => Readonly<Record<string, string>> | undefined

/** Returns a function that returns the headers which every response of a deprecated operation has. */
export function createOperationHeaders(endpoints: readonly AnyEndpoint[]): OperationHeaders {
  const withParameters = endpoints.flatMap(({ method, path, deprecation }) =>
    deprecation && path.includes('{')
      ? // A request with a malformed parameter is still a request for the operation.
        [{ method, expression: pathExpression(path), headers: deprecation.headers }]
      : [],
  )
  /** By method and path. An exact path takes precedence over those with parameters: `/pets/count` is not an animal. */
  const others = new Map(
    endpoints
      .filter(({ path }) => !path.includes('{'))
      .map(({ method, path, deprecation }) => [`${method} /v1${path}`, deprecation?.headers]),
  )
  return (method, url) => {
    const path = pathOf(url)
    const declared = method === 'HEAD' ? 'GET' : method
    const key = `${declared} ${path}`
    if (others.has(key)) return others.get(key)
    return withParameters.find((one) => one.method === declared && one.expression.test(path))?.headers
  }
}
