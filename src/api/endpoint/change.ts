/**
 * The route functions of POST, PUT, PATCH and DELETE. A handler runs in a transaction of the writer, again if that is rolled
 * back because of another change; its response is sent once the commit is on disk.
 */

import { AppError } from '../../lib/error.ts'
import type { AdmissionHeaders } from '../http/admission-headers.ts'
import { assertPreconditions, type ResponseHead, recordTag } from '../http/conditions.ts'
import { contextOf, idleSeconds } from '../http/context.ts'
import { ReusedHeaders } from '../http/reused-headers.ts'
import { pathOf } from '../http/target.ts'
import { inProgress, type KeyedResult, type PostResult } from '../idempotency/replay.ts'
import type { Principal } from '../principal.ts'
import type { AnyEndpoint, Body, Created } from './declare.ts'
import { createBodyReader, type ReadBody } from './input/body.ts'
import { createQueryReader } from './input/query.ts'
import type { Once, Upload } from './input/received.ts'
import { openUpload } from './input/upload.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type Input,
  type MaySee,
  type MountParts,
  noInput,
  type RawParams,
  setRepresentationHeaders,
} from './request-check.ts'

export type Change = (
  request: Request,
  head: ResponseHead,
  params: RawParams,
  principal: Principal,
  admission: AdmissionHeaders,
) => Promise<string | Response>

export function createChange(
  id: string,
  endpoint: AnyEndpoint,
  handle: AnyHandler,
  parts: MountParts,
  maySee?: MaySee,
): Change {
  const check = createRequestCheck(id, endpoint, parts)
  const write = parts.writer.writeRepeatable
  const { body, success, method, query = {} } = endpoint
  const queryReader = createQueryReader(query)
  const hasQuery = queryReader.names.length > 0
  const { untagged } = success
  const deprecationHeaders = endpoint.deprecation?.headers ?? {}
  const sent = { 'content-type': 'application/json', 'cache-control': 'no-store', ...deprecationHeaders }
  const reusedHeaders = new ReusedHeaders(sent, ['etag', 'location', 'Idempotent-Replayed'])
  const resultKind = success.kind === 'created' ? 'created' : 'performed'
  const readBody = body?.kind === 'upload' || method === 'DELETE' ? undefined : createBodyReader(body, parts.bodyBudget)

  // Asynchronous functions, which were four for each request here, cost 6 % of the main thread's time for a new animal.
  return (request, head, raw, principal, admission) => {
    const params = check(request, raw, principal)
    if (!readBody) return respond(request, head, params, principal, admission)
    return readBody(request, principal.actor).then((read) => respond(request, head, params, principal, admission, read))
  }

  function respond(
    request: Request,
    head: ResponseHead,
    params: Input['params'],
    principal: Principal,
    admission: AdmissionHeaders,
    read?: ReadBody,
  ): Promise<string | Response> {
    const upload = body?.kind === 'upload' ? createUpload(request, body, principal) : undefined
    const input = {
      ...noInput,
      params,
      principal,
      body: (upload ?? read?.value) as Input['body'],
      assertPreconditions: (given: object | (() => object) | undefined) =>
        assertPreconditions(request, () => {
          const record = typeof given === 'function' ? given() : given
          return record && recordTag(record, JSON.stringify(record), untagged)
        }),
      once: onceOf(request, principal, () => identityOf(request, read?.bytes ?? noBytes)),
    }
    const parameters = queryReader.split(request.url)
    if (hasQuery) input.query = queryReader.read(parameters)
    const send = (result: KeyedResult) => respondWith(result, input, admission)
    if (upload?.isRepeated) return receive(request, () => repeat(upload)).then(send)
    if (upload || success.inSteps) return receive(request, () => handle(input)).then(send)
    switch (success.kind) {
      case 'created':
      case 'performed':
        return post(request, principal, read?.bytes ?? noBytes, () =>
          postResult(handle(input), untagged, success.kind),
        ).then(send)
      case 'removed':
        return write(() => handle(input)).then(() => {
          Object.assign(head.headers, deprecationHeaders)
          head.status = 204
          return ''
        })
      default:
        return write(() => handle(input) as object).then((record) => {
          const text = JSON.stringify(record)
          setRepresentationHeaders(head, recordTag(record, text, untagged), 'no-store')
          Object.assign(head.headers, deprecationHeaders)
          return text
        })
    }
  }

  function post(
    request: Request,
    { accountId }: Principal,
    bytes: Uint8Array,
    work: () => PostResult,
  ): Promise<KeyedResult> {
    const key = request.headers.get('idempotency-key')
    if (key === null) return write(work).then((result) => ({ result, isReplay: false }))
    return parts.idempotency.run({ accountId, key, identity: () => identityOf(request, bytes) }, work)
  }

  function respondWith(
    { result, isReplay }: KeyedResult,
    { principal, params }: Pick<Input, 'principal' | 'params'>,
    admission: AdmissionHeaders,
  ): Response {
    const { status, body: text, etag, location } = result
    if (isReplay && maySee?.({ principal, params, record: JSON.parse(text) }) === false) {
      throw new AppError('not_found', 'There is nothing here that this API key may see.')
    }
    return reusedHeaders.respond(status, admission, [etag, location, isReplay ? 'true' : undefined], text)
  }

  function createUpload(request: Request, declared: Extract<Body, { kind: 'upload' }>, principal: Principal): Upload {
    const idempotencyKey = keyOf(request)
    const { mediaType, chunks, digest } = openUpload(request, declared, { ...parts, isHashed: idempotencyKey !== null })
    const isRepeated = idempotencyKey !== null && parts.idempotency.isUsed(principal.accountId, idempotencyKey)
    const once = onceOf(request, principal, () => hashOf(request, digest()))
    return { mediaType, chunks, idempotencyKey, isRepeated, once }
  }

  /** An upload whose `Idempotency-Key` is used is only compared with the first one: it needs neither a turn nor space. */
  async function repeat({ chunks, once }: Upload): Promise<KeyedResult> {
    for await (const _ of chunks);
    // The first one failed meanwhile: the request can be sent again.
    return once(() => Promise.reject(inProgress()))
  }

  function onceOf(request: Request, { accountId }: Principal, identity: () => Buffer): Once {
    const resultOf = (result: object) => postResult(result, untagged, resultKind)
    return (work) => {
      const key = keyOf(request)
      if (key === null) {
        return work(
          async (change) => ({ result: await write(() => resultOf(change())), isReplay: false }),
          async (result) => ({ result: resultOf(result), isReplay: false }),
        )
      }
      return parts.idempotency.runSteps({ accountId, key, identity }, (commit, respond) =>
        work(
          (change) => commit(() => resultOf(change())),
          (result) => respond(resultOf(result)),
        ),
      )
    }
  }

  /** The `Idempotency-Key` of a POST. */
  function keyOf(request: Request): string | null {
    return method === 'POST' ? request.headers.get('idempotency-key') : null
  }
}

/** Handles an upload or a change in steps. Its sender may pause, and its handler may work, for longer than others. */
async function receive(request: Request, handle: () => unknown): Promise<KeyedResult> {
  const connection = contextOf(request)?.peer
  connection?.timeout?.(request, 0)
  try {
    return (await handle()) as KeyedResult
  } finally {
    connection?.timeout?.(request, idleSeconds)
  }
}

function postResult(
  result: unknown,
  untagged: readonly string[] | undefined,
  kind: 'created' | 'performed',
): PostResult {
  const { body, representation, replay, location } =
    kind === 'created'
      ? (result as Created)
      : { body: result as object, representation: undefined, replay: undefined, location: undefined }
  const text = JSON.stringify(body)
  const etag = representation
    ? recordTag(representation, JSON.stringify(representation), untagged)
    : recordTag(body, text, untagged)
  const status = kind === 'created' && location !== undefined ? 201 : 200
  return { status, body: text, etag, location, ...(replay ? { replay: JSON.stringify(replay) } : {}) }
}

function identityOf(request: Request, bytes: Uint8Array): Buffer {
  return hashOf(request, new Bun.CryptoHasher('sha256').update(bytes).digest())
}

/** The hash of method, path, query and the SHA-256 of the body. */
function hashOf({ method, url }: Request, body: Buffer): Buffer {
  const query = url.indexOf('?')
  const target = pathOf(url) + (query === -1 ? '' : url.slice(query))
  const hash = new Bun.CryptoHasher('sha256').update(`${method} ${target}\n`)
  return hash.update(body.toString('hex')).digest()
}

const noBytes = new Uint8Array()
