/**
 * What the routes of reads and of changes share: the parts that they need, and the checks that every request passes
 * before its query and body are read, in this order: path (404), scope (403), removal of the operation (410). The query
 * and the body are checked when they are read (413, 415, 400).
 */

import type { Announcements } from '../database/announcements.ts'
import type { Writer } from '../database/writer.ts'
import type { CacheCounts } from '../lib/cache-counts.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { type CurrentRequest, contextOf } from './context.ts'
import type { AnyEndpoint, Endpoints, Handlers } from './endpoint.ts'
import type { Idempotency } from './idempotency/replay.ts'
import type { BodyBudget } from './input/body-budget.ts'
import { type Admitted, assertScope, type Principal } from './principal.ts'

/** The parts of the application that endpoints need. */
export interface EndpointParts {
  readonly writer: Writer
  readonly idempotency: Idempotency
  readonly announcements: Announcements
  readonly bodyBudget: BodyBudget
  readonly currentRequest: CurrentRequest
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Whether the key of a request was revoked after the request was admitted. */
  readonly isRevoked: (principal: Principal) => boolean
  /** The counts of the caches of all lists together. */
  readonly pageCacheCounts: CacheCounts
}

/** The error for a path that matches a route but has a malformed parameter. */
export class Unroutable extends AppError {
  constructor() {
    super('not_found', 'There is nothing at this address.')
  }
}

/** The path parameters of a request as they were sent. */
export type RawParams = Readonly<Record<string, string>>

/** What an endpoint uses of Elysia's context. */
export interface RouteContext {
  readonly request: Request
  readonly params: RawParams
  readonly admitted: Admitted
}

export type Input = Parameters<Handlers<Endpoints>[string]>[0]
export type AnyHandler = (input: Input) => unknown

/**
 * Whether a key may see the `record` of a stored response, to which it sends the same request as another key of its
 * account. `params` are the path parameters.
 */
export type MaySee = (replay: Pick<Input, 'principal' | 'params'> & { readonly record: unknown }) => boolean

/**
 * Returns a function that checks the path and the scope of a request and returns the parsed path parameters. It throws
 * `not_found`, `insufficient_scope` and `endpoint_removed`.
 */
export function createRequestCheck(
  id: string,
  { params = {}, scope, deprecation }: AnyEndpoint,
  { clock }: Pick<EndpointParts, 'clock'>,
) {
  const parsers = Object.entries(params)
  const alternatives = typeof scope === 'string' ? (scope === 'any' ? undefined : [scope]) : scope

  function parse(raw: RawParams): Input['params'] {
    const values: Record<string, unknown> = {}
    for (const [name, parameter] of parsers) {
      const value = parameter.parse(raw[name] ?? '')
      if (value === undefined) throw new Unroutable()
      values[name] = value
    }
    return values as Input['params']
  }

  return (request: Request, raw: RawParams, principal: Principal): Input['params'] => {
    const context = contextOf(request)
    if (context) context.operation = id
    const values = parse(raw)
    if (alternatives) assertScope(principal, alternatives)
    if (deprecation && clock.now() >= deprecation.sunsetMs) {
      throw new AppError('endpoint_removed', deprecation.message)
    }
    return values
  }
}

/** The input of a handler with empty members; each kind of endpoint sets those that it has. */
export const noInput = {
  params: {},
  query: {},
  body: undefined,
  cursorId: undefined,
  cursorValue: undefined,
  fetchLimit: 0,
  lastEventId: undefined,
  assertPreconditions: () => {},
  asRequest: <T>(work: () => T): T => work(),
  once: () => Promise.reject(new Error('Only changes in steps have this.')),
}
