/**
 * The routes of POST, PUT, PATCH and DELETE. A handler runs in a transaction of the writer, again if that is rolled
 * back because of another change; its response is sent once the commit is on disk.
 */

import { AppError } from '../lib/error.ts'
import { assertPreconditions, recordTag } from './conditions.ts'
import { contextOf, idleSeconds } from './context.ts'
import type { AnyEndpoint, Body, Created, Once, Upload } from './endpoint.ts'
import { inProgress, type KeyedResult, type LastStep, type PostResult } from './idempotency/replay.ts'
import { createBodyReader } from './input/body.ts'
import { createQueryReader } from './input/query.ts'
import { openUpload } from './input/upload.ts'
import type { Principal } from './principal.ts'
import {
  type AnyHandler,
  createRequestCheck,
  type EndpointParts,
  type Input,
  type MaySee,
  noInput,
  type RouteContext,
} from './route.ts'
import { pathAndQueryOf } from './target.ts'

export function createChange(
  id: string,
  endpoint: AnyEndpoint,
  handle: AnyHandler,
  parts: EndpointParts,
  maySee?: MaySee,
) {
  const check = createRequestCheck(id, endpoint, parts)
  const { currentRequest, idempotency } = parts
  const { body, success, method, query = {} } = endpoint
  const { untagged } = success
  // The transaction of an upload or of a change in steps can be long: the error of another change must not repeat it.
  const { writeRepeatable } = parts.writer
  const write = body?.kind === 'upload' || success.inSteps ? parts.writer.write : writeRepeatable
  const readQuery = createQueryReader(query)
  const readBody = body?.kind === 'upload' || method === 'DELETE' ? undefined : createBodyReader(body, parts.bodyBudget)
  const resultKind = success.kind === 'created' ? 'created' : success.isAccepted ? 'accepted' : 'performed'
  const withoutKey: LastStep = {
    commit: (change) => write(change).then(firstTime),
    respond: async (result) => firstTime(result),
  }

  return async ({ request, params: raw, admitted }: RouteContext): Promise<Response> => {
    const { principal } = admitted
    const params = check(request, raw, principal)
    const asRequest: AsRequest = (work) => currentRequest.run(admitted.headers['X-Request-Id'] ?? null, work)
    const { value, bytes } = readBody ? await readBody(request, principal.actor) : noBody
    const upload = body?.kind === 'upload' ? createUpload(request, body, principal, asRequest) : undefined
    const input: Input = {
      ...noInput,
      params,
      principal,
      query: readQuery(request.url),
      body: (upload ?? value) as Input['body'],
      assertPreconditions: (subject: object | (() => object) | undefined) =>
        assertPreconditions(request, () => {
          const record = typeof subject === 'function' ? subject() : subject
          return record && recordTag(record, JSON.stringify(record), untagged)
        }),
      once: onceOf(request, principal, asRequest, () => identityOf(request, bytes)),
      asRequest,
    }
    const headers: Record<string, string> = { ...admitted.headers, ...endpoint.deprecation?.headers }
    if (success.kind === 'removed') {
      await write(() => asRequest(() => handle(input)))
      return new Response(null, { status: 204, headers })
    }
    headers['content-type'] = 'application/json'
    headers['cache-control'] = 'no-store'
    if (success.kind === 'updated') {
      const record = (await write(() => asRequest(() => handle(input)))) as object
      const text = JSON.stringify(record)
      headers['etag'] = recordTag(record, text, untagged)
      return new Response(text, { headers })
    }
    const { result, isReplay } = await post(request, input, upload)
    if (isReplay && maySee?.({ principal, params, record: JSON.parse(result.body) }) === false) {
      throw new AppError('not_found', 'There is nothing here that this API key may see.')
    }
    headers['etag'] = result.etag
    if (result.location !== undefined) headers['location'] = result.location
    if (isReplay) headers['Idempotent-Replayed'] = 'true'
    return new Response(result.body, { status: result.status, headers })
  }

  function post(request: Request, input: Input, upload: Upload | undefined): Promise<KeyedResult> {
    if (upload?.isRepeated) return receive(request, () => repeat(upload))
    if (upload || success.inSteps) return receive(request, () => handle(input))
    return input.once((commit) => commit(() => handle(input) as object))
  }

  /**
   * The function with which a handler takes its last step. Without an `Idempotency-Key` there is nothing to compare or
   * to store.
   */
  function onceOf(request: Request, { accountId }: Principal, asRequest: AsRequest, identity: () => Buffer): Once {
    const resultOf = (result: object) => postResult(result, untagged, resultKind)
    return (work) => {
      const steps = ({ commit, respond }: LastStep) =>
        work(
          (change) => commit(() => asRequest(() => resultOf(change()))),
          (result) => respond(resultOf(result)),
        )
      const key = keyOf(request)
      return key === null ? steps(withoutKey) : idempotency.run({ accountId, key, identity, write }, steps)
    }
  }

  function createUpload(
    request: Request,
    declared: Extract<Body, { kind: 'upload' }>,
    principal: Principal,
    asRequest: AsRequest,
  ): Upload {
    const idempotencyKey = keyOf(request)
    const isHashed = idempotencyKey !== null
    const isOfCommand = principal.actor === 'command'
    const { mediaType, chunks, digest } = openUpload(request, declared, { ...parts, isHashed, isOfCommand })
    const isRepeated = idempotencyKey !== null && idempotency.isUsed(principal.accountId, idempotencyKey)
    const last = onceOf(request, principal, asRequest, () => hashOf(request, digest()))
    const once: Once = (work) => {
      // An upload can take hours.
      if (parts.isRevoked(principal)) {
        throw new AppError('revoked_api_key', 'This API key was revoked during the upload. Nothing was changed.')
      }
      return last(work)
    }
    return { mediaType, chunks, idempotencyKey, isRepeated, once }
  }

  /**
   * An upload whose `Idempotency-Key` was used is only compared with the first one: it needs neither a turn nor space.
   */
  async function repeat({ chunks, once }: Upload): Promise<KeyedResult> {
    for await (const _ of chunks);
    // The first one has failed in the meantime: the request can be sent again.
    return once(() => Promise.reject(inProgress()))
  }

  /** The `Idempotency-Key` of a POST. */
  function keyOf(request: Request): string | null {
    return method === 'POST' ? request.headers.get('idempotency-key') : null
  }
}

/** Handles an upload or a change in steps. Its sender may pause and its handler may run for longer than usual. */
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
  kind: 'created' | 'performed' | 'accepted',
): PostResult {
  const { body, representation, replay, location } =
    kind === 'created'
      ? (result as Created)
      : { body: result as object, representation: undefined, replay: undefined, location: undefined }
  const text = JSON.stringify(body)
  const etag = representation
    ? recordTag(representation, JSON.stringify(representation), untagged)
    : recordTag(body, text, untagged)
  const status = kind === 'accepted' ? 202 : kind === 'created' && location !== undefined ? 201 : 200
  return { status, body: text, etag, location, ...(replay ? { replay: JSON.stringify(replay) } : {}) }
}

function identityOf(request: Request, bytes: Uint8Array): Buffer {
  return hashOf(request, new Bun.CryptoHasher('sha256').update(bytes).digest())
}

/** The hash of method, path, query and the SHA-256 of the body. */
function hashOf({ method, url }: Request, body: Buffer): Buffer {
  const hash = new Bun.CryptoHasher('sha256').update(`${method} ${pathAndQueryOf(url)}\n`)
  return hash.update(body.toString('hex')).digest()
}

type AsRequest = Input['asRequest']

const firstTime = (result: PostResult): KeyedResult => ({ result, isReplay: false })

const noBody = { bytes: new Uint8Array(), value: undefined }
