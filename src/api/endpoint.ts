/**
 * The declaration of an endpoint: everything that the server and the OpenAPI document need to know about one
 * operation except its handler. Routing, the scope check, the reading and validation of input, the key of cached pages
 * and the OpenAPI operation are all derived from it, so they cannot disagree.
 */

import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import type { Topic } from '../database/announcements.ts'
import type { ErrorCode } from '../lib/error.ts'
import type { KeyedResult } from './idempotency/replay.ts'
import type { PartOfList, Records } from './page.ts'
import type { PathParameter } from './parameters.ts'
import type { Principal } from './principal.ts'
import type { Scope } from './scopes.ts'
import type { SentFile } from './sent-file.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Tag = 'animals' | 'store' | 'projects' | 'keys' | 'events' | 'system'
export type PathParameters = Readonly<Record<string, PathParameter<unknown>>>

interface JsonBody<S extends TSchema> {
  readonly schema: S
  /** Throws `invalid_body` for a forbidden combination of members; the schema has the same rule as `if` and `then`. */
  assert?(body: Static<S>): void
}

/** The kinds of request bodies. */
export type Body<S extends TSchema = TSchema> =
  | ({ readonly kind: 'json' } & JsonBody<S>)
  /** JSON, also as `application/merge-patch+json` (RFC 7396). */
  | ({ readonly kind: 'mergePatch' } & JsonBody<S>)
  /** A file that is passed to the handler while it arrives. */
  | {
      readonly kind: 'upload'
      readonly mediaTypes: readonly string[]
      readonly maximumBytes: number
      /** Valid files of some of the media types, for the description. */
      readonly examples?: Readonly<Record<string, string>>
    }

export const json = <S extends TSchema>(schema: S, assert: (body: Static<S>) => void = () => {}) =>
  ({ kind: 'json', schema, assert }) satisfies Body<S>
export const mergePatch = <S extends TSchema>(schema: S, assert: (body: Static<S>) => void = () => {}) =>
  ({ kind: 'mergePatch', schema, assert }) satisfies Body<S>
export const upload = (
  mediaTypes: readonly string[],
  maximumBytes: number,
  examples: Readonly<Record<string, string>> = {},
) => ({ kind: 'upload', mediaTypes, maximumBytes, examples }) as const

interface SuccessOptions {
  readonly description: string
  /** Members that change when the record is used, not when it is edited: the ETag does not cover them. */
  readonly untagged?: readonly string[]
  readonly cacheControl?: 'no-store'
  /**
   * For a change that is too long for one transaction, waits for the network before it, or must not be repeated because
   * another change has failed: the handler takes its steps and calls `once`.
   */
  readonly inSteps?: boolean
  /** For `created`: describes the 200 of a request that only tries it. */
  readonly preview?: string
  /** For `performed`: the work continues after the response, whose status is 202. */
  readonly isAccepted?: true
  /** For an action that concerns no single record: `If-Match` and `If-None-Match` are ignored. */
  readonly isUnconditional?: true
}

interface CacheOptions {
  /**
   * The response is cached until one of these topics is announced, and otherwise not at all. It must depend on nothing
   * but the path, the query, `variesBy` and records of these topics.
   */
  readonly cachedUntil?: readonly Topic[]
}

interface ResourceOptions extends SuccessOptions, CacheOptions {
  /** The path parameter with the id of the record of the first topic that alone determines the response. */
  readonly idParameter?: string
}

interface PageOptions extends SuccessOptions, CacheOptions {
  /** The name of the list in its cursors; another order of the same list needs another name. */
  readonly cursorName: string | ((query: Readonly<Record<string, unknown>>) => string)
  /** The order of the records of the first topic, if the list is sorted by their ids. */
  readonly idOrder?: (query: Readonly<Record<string, unknown>>) => 'asc' | 'desc' | undefined
  /** The parameter with which only the first page begins: the addresses of further pages do not have it. */
  readonly beginParameter?: string
  /** The parameter that holds ids. If it holds one id, `X-Record-ETag` is the tag of that record. */
  readonly singleRecordParameter?: string
  /** A value besides the query on which a page depends, such as the account of the principal. */
  readonly variesBy?: (principal: Principal) => string
}

interface FileOptions extends SuccessOptions {
  readonly mediaTypes: readonly string[]
  /** Whether it is made anew for each request: the response has no ETag and is not compressed. */
  readonly isMadeAnew?: true
}

interface StreamOptions extends SuccessOptions {
  /** The beginning of a stream, for the document. */
  readonly example: string
}

/** The successful response. Its kind determines the status, the headers and the result type of the handler. */
export type Success =
  | ({ readonly kind: 'resource'; readonly schema: TSchema } & ResourceOptions)
  | ({ readonly kind: 'gathered'; readonly schema: TSchema } & SuccessOptions)
  | ({ readonly kind: 'page'; readonly schema: TSchema } & PageOptions)
  | ({ readonly kind: 'file' } & FileOptions)
  | ({ readonly kind: 'eventStream' } & StreamOptions)
  | ({ readonly kind: 'created'; readonly schema: TSchema } & SuccessOptions)
  | ({ readonly kind: 'performed'; readonly schema: TSchema } & SuccessOptions)
  | ({ readonly kind: 'updated'; readonly schema: TSchema } & SuccessOptions)
  | ({ readonly kind: 'removed' } & SuccessOptions)

/** GET 200: the handler returns the record or the numbers. */
export const resource = <const O extends ResourceOptions>(schema: TSchema, options: O) =>
  ({ kind: 'resource', schema, ...options }) as const
/** GET 200: like `resource`, for a handler that works in several steps and returns a promise. */
export const gathered = (schema: TSchema, options: SuccessOptions) =>
  ({ kind: 'gathered', schema, ...options }) as const
/**
 * GET 200: the handler returns at most `fetchLimit` records beyond the cursor, fewer if its search ran out of time.
 *
 * @example
 * // In the declaration; `Categories` is the schema of an array.
 * success: page(Categories, { description: 'A page of categories.', cursorName: 'categories' })
 * // The handler, which gets the id of the cursor:
 * listCategories: ({ cursorId = 0, fetchLimit }) => categories.page(cursorId, fetchLimit)
 */
export const page = <const O extends PageOptions>(schema: TSchema, options: O) =>
  ({ kind: 'page', schema, ...options }) as const
/** GET 200: the handler returns a promise of a `SentFile`. */
export const file = (options: FileOptions) => ({ kind: 'file', ...options }) as const
/**
 * GET 200: server-sent events. The handler checks the request and returns a function that opens the stream; HEAD calls
 * only the handler.
 */
export const eventStream = (options: StreamOptions) => ({ kind: 'eventStream', ...options }) as const
/** POST 201: the handler runs in a transaction and returns a `Created`. Honours `Idempotency-Key`. */
export const created = <const O extends SuccessOptions>(schema: TSchema, options: O) =>
  ({ kind: 'created', schema, ...options }) as const
/** POST 200: an action on a record, in a transaction. Honours `Idempotency-Key` and `If-Match`. */
export const performed = <const O extends SuccessOptions>(schema: TSchema, options: O) =>
  ({ kind: 'performed', schema, ...options }) as const
/** PATCH or PUT 200: the handler runs in a transaction and returns the record as it is now. Honours `If-Match`. */
export const updated = (schema: TSchema, options: SuccessOptions) => ({ kind: 'updated', schema, ...options }) as const
/** DELETE 204: the handler runs in a transaction. Honours `If-Match`. */
export const removed = (options: SuccessOptions) => ({ kind: 'removed', ...options }) as const

/** The announced removal of an operation. Every response of the operation has these headers, errors included. */
export interface Deprecation {
  readonly headers: Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>>
  /** Unix milliseconds from which the operation responds with 410. */
  readonly sunsetMs: number
  /** The message of the 410. */
  readonly message: string
}

export interface EndpointOptions<
  P extends PathParameters = PathParameters,
  Q extends TProperties = TProperties,
  B extends Body | undefined = Body | undefined,
  S extends Success = Success,
> {
  readonly method: Method
  /** Below `/v1`, with its parameters in braces: `/pets/{petId}`. */
  readonly path: string
  readonly params?: P
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** The required scope, or several of which one is required; `any` admits every valid key. */
  readonly scope: Scope | readonly Scope[] | 'any'
  /** Query parameters. `limit` and `cursor` are added to those of a page. */
  readonly query?: Q
  readonly body?: B
  readonly success: S
  /** The error codes of the operation besides those that the rest of the declaration implies. */
  readonly errors?: readonly ErrorCode[]
  /** Headers of the successful response besides those that its kind implies, by their component names. */
  readonly headers?: readonly string[]
  readonly stability?: 'beta'
  readonly deprecation?: Deprecation
}

export type AnyEndpoint = EndpointOptions<PathParameters, TProperties, Body | undefined, Success>
/** The endpoints of a feature by operation id. */
export type Endpoints = Readonly<Record<string, AnyEndpoint>>

/**
 * Declares one endpoint. Its type parameters are inferred; the type of its handler follows from them.
 *
 * @example
 * listCategories: endpoint({
 *   method: 'GET',
 *   path: '/categories',
 *   tag: 'animals',
 *   summary: 'List categories',
 *   description: 'Returns a page of categories, by id.',
 *   scope: 'pets:read',
 *   success: page(Categories, { description: 'A page of categories.', cursorName: 'categories' }),
 * })
 */
export function endpoint<
  // biome-ignore lint/complexity/noBannedTypes: an endpoint without parameters has an empty record of them
  P extends PathParameters = {},
  // biome-ignore lint/complexity/noBannedTypes: likewise for the query
  Q extends TProperties = {},
  B extends Body | undefined = undefined,
  S extends Success = Success,
>(options: EndpointOptions<P, Q, B, S>): EndpointOptions<P, Q, B, S> {
  return options
}

type BodyOf<B> = B extends { readonly schema: infer S extends TSchema }
  ? Static<S>
  : B extends { readonly kind: 'upload' }
    ? Upload
    : undefined

export interface Created {
  /** The response body. */
  readonly body: object
  /** The record at `location`, if it differs from the body. The response has its ETag. */
  readonly representation?: object
  /** The body of a replayed response, if the first one contains a secret. */
  readonly replay?: object
  /** The path of the created record. Without it nothing was created, and the status is 200. */
  readonly location?: string
}

/** The response to an upload or to a change in steps. `once` returns it. */
export type StepsResponse = KeyedResult

/** Makes a change: runs `change` in a transaction and resolves to its response once that is on disk. */
export type Commit = (change: () => object) => Promise<StepsResponse>

/** Responds with `result` to a request that changed nothing, without waiting for a transaction. */
export type Respond = (result: object) => Promise<StepsResponse>

/**
 * Calls `work`, which takes as many steps as it needs and then calls `commit` once, with a function that returns what
 * the declared success requires, or `respond` with that; or returns the stored response, if the request has the
 * `Idempotency-Key` of an earlier one. Throws `idempotency_in_progress` while another request with that key is running.
 */
export type Once = (work: (commit: Commit, respond: Respond) => Promise<StepsResponse>) => Promise<StepsResponse>

/** A file as it arrives. Reading it throws `payload_too_large` beyond the declared limit. */
export interface Upload {
  readonly mediaType: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** The `Idempotency-Key` of a POST. */
  readonly idempotencyKey: string | null
  /** Whether a request with that key runs or has a stored response. */
  readonly isRepeated: boolean
  /** To be called when `chunks` has been read to its end. */
  readonly once: Once
}

/** Opens a stream, which ends when the signal is aborted. */
export type OpenStream = (signal: AbortSignal) => ReadableStream<Uint8Array>

type ResultOf<S> = S extends { readonly kind: 'page' }
  ? Records | PartOfList
  : S extends { readonly kind: 'created' }
    ? Created
    : S extends { readonly kind: 'removed' }
      ? unknown
      : S extends { readonly kind: 'eventStream' }
        ? OpenStream
        : S extends { readonly kind: 'gathered' }
          ? Promise<object>
          : S extends { readonly kind: 'file' }
            ? Promise<SentFile>
            : object

/**
 * The handler of a cached response that does not vary gets no principal: one caller's response would be sent to others.
 */
type PrincipalFor<S> = S extends { readonly cachedUntil: readonly Topic[]; readonly variesBy?: never }
  ? never
  : Principal

export interface HandlerInput<P, Q extends TProperties, B, S> {
  readonly params: { readonly [K in keyof P]: P[K] extends PathParameter<infer T> ? T : never }
  readonly query: Static<TObject<Q>>
  readonly body: BodyOf<B>
  readonly principal: PrincipalFor<S>
  /** For a page: the id in its cursor, beyond which the page begins; undefined for the first page. */
  readonly cursorId: number | undefined
  /** For a page that is sorted by a value other than the id: that value in its cursor. */
  readonly cursorValue: string | undefined
  /** For a page: how many records to read, one more than are sent. The extra record shows that there is a next page. */
  readonly fetchLimit: number
  /** For an event stream: its `Last-Event-ID`, if it has one. */
  readonly lastEventId: number | undefined
  /**
   * Throws `precondition_failed` unless `If-Match` and `If-None-Match` allow a change of `record`; undefined stands for
   * a record that does not exist. Handlers call it after they have checked for `not_found`. A function that returns the
   * record is called only if the request has one of these headers.
   */
  readonly assertPreconditions: (record: object | (() => object) | undefined) => void
  /** For a change `inSteps`: like `Upload.once`. */
  readonly once: Once
  /**
   * For an upload or a change `inSteps`: runs `work`, which is synchronous, so that its changes are attributed to
   * this request. Those of all other handlers are.
   */
  readonly asRequest: <T>(work: () => T) => T
}

/**
 * The handler of an upload reads it while it arrives, then calls `body.once`. That of a change `inSteps` calls `once`.
 * That of a `gathered` success or a file returns a promise. All other handlers are synchronous.
 */
export type Handler<E> =
  E extends EndpointOptions<infer P, infer Q, infer B, infer S>
    ? (
        input: HandlerInput<P, Q, B, S>,
      ) => B extends { readonly kind: 'upload' }
        ? Promise<StepsResponse>
        : S extends { readonly inSteps: true }
          ? Promise<StepsResponse>
          : ResultOf<S>
    : never

export type Handlers<E extends Endpoints> = { readonly [K in keyof E]: Handler<E[K]> }
