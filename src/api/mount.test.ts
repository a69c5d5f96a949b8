/**
 * Declares two example endpoints and checks that routes, checks and OpenAPI operations follow from the declarations.
 */

import { afterEach, beforeEach, expect, expectTypeOf, test } from 'bun:test'
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import fc from 'fast-check'
import { operationOf } from '../app/openapi/operation.ts'
import { createSharedParts } from '../app/openapi/shared-parts.ts'
import { silentLog } from '../lib/log.ts'
import { openTestStore, type TestStore } from '../testing/harness.ts'
import { attachContext, type Connection } from './context.ts'
import { created, endpoint, type Handler, page, resource, upload } from './endpoint.ts'
import { createErrorHandler } from './errors.ts'
import { mount } from './mount.ts'
import { fileNameParameter, idParameter } from './parameters.ts'
import { Admitted, type Principal } from './principal.ts'
import { createUnrouted } from './unrouted.ts'

const Domain = Type.Object({ hostname: Type.String(), state: Type.String() }, { title: 'Domain' })
const Deploy = Type.Object({ id: Type.Integer(), bytes: Type.Integer(), mediaType: Type.String() }, { title: 'Deploy' })

const examples = {
  getDomain: endpoint({
    method: 'GET',
    path: '/domains/{hostname}',
    params: { hostname: fileNameParameter('The host name of the domain.') },
    tag: 'animals',
    summary: 'Fetch a domain',
    description: 'Returns one domain.',
    scope: 'pets:read',
    success: resource(Domain, { description: 'The domain.' }),
    stability: 'beta',
  }),
  createDeploy: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/deploys',
    params: { projectId: idParameter('Id of the project.') },
    tag: 'animals',
    summary: 'Deploy an archive',
    description: 'Publishes the files of an archive.',
    scope: 'pets:write',
    body: upload(['application/gzip', 'application/zip'], 1_000),
    success: created(Deploy, { description: 'The deploy.' }),
    stability: 'beta',
  }),
}

let store: TestStore
let principal: Principal
beforeEach(async () => {
  works = 0
  working = undefined
  store = await openTestStore()
  const authenticated = store.app.authenticator.authenticate(`Bearer ${store.key}`)
  if ('code' in authenticated) throw new Error(authenticated.message)
  principal = authenticated
})
afterEach(() => store.close())

/** How many uploads were processed, and a promise that each waits for. */
let works = 0
let working: Promise<void> | undefined

const domains: Static<typeof Domain>[] = [{ hostname: 'www.example.com', state: 'active' }]

const zipBody = { body: 'abc', headers: { 'Content-Type': 'application/zip' } }

async function call(method: string, path: string, init: RequestInit = {}, connection?: Connection) {
  const onError = createErrorHandler({
    log: silentLog,
    storageError: () => undefined,
    unrouted: createUnrouted(Object.values(examples)),
    operationHeaders: () => undefined,
  })
  const routes = mount(
    examples,
    {
      getDomain: ({ params }) => domains.find(({ hostname }) => hostname === params.hostname) ?? {},
      async createDeploy({ params, body }) {
        let bytes = 0
        for await (const chunk of body.chunks) bytes += chunk.byteLength
        const deploy = { id: params.projectId, bytes, mediaType: body.mediaType }
        return body.once(async (commit) => {
          await working
          works++
          return commit(() => ({ body: deploy, location: `/v1/projects/${params.projectId}/deploys/1` }))
        })
      },
    },
    store.app.endpointParts,
  )
  const admitted = new Admitted()
  admitted.principal = principal
  const api = new Elysia()
    .decorate('admitted', admitted)
    .onError(({ error, code, request }) => onError({ error, code, request, admitted }))
    .use(routes)
  const request = new Request(`http://localhost/v1${path}`, { method, ...init })
  if (connection) attachContext(request, requestContext(connection))
  const response = await api.handle(request)
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text ? JSON.parse(text) : undefined }
}

const requestContext = (peer: Connection) => ({
  peer,
  startedMs: 0,
  hasInvalidHost: false,
  isSecure: false,
  operation: undefined,
  requestId: undefined,
  keyId: undefined,
  errorCode: undefined,
})

test('a handler receives typed path parameters, and a path with a malformed one is not found', async () => {
  expect((await call('GET', '/domains/www.example.com')).json).toEqual(domains[0])
  for (const bad of ['-a.example', '.example', 'a%20b', 'a%2fb', 'a%c3%a9', 'a'.repeat(256)]) {
    expect([bad, (await call('GET', `/domains/${bad}`)).json.code]).toEqual([bad, 'not_found'])
  }
  const wrongMethod = await call('DELETE', '/domains/www.example.com')
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a handler reads an upload while it arrives, up to the declared size', async () => {
  const send = (bytes: number, type = 'application/gzip') =>
    call('POST', '/projects/7/deploys', { body: new Uint8Array(bytes), headers: { 'Content-Type': type } })
  const accepted = await send(1_000)
  expect([accepted.status, accepted.json, accepted.headers.get('location')]).toEqual([
    201,
    { id: 7, bytes: 1_000, mediaType: 'application/gzip' },
    '/v1/projects/7/deploys/1',
  ])
  expect((await send(1_001)).json).toMatchObject({ code: 'payload_too_large', status: 413 })
  expect((await send(10, 'text/plain')).json).toMatchObject({ code: 'unsupported_media_type', status: 415 })
  principal = { ...principal, scopes: new Set(['pets:read']) }
  expect((await send(10)).json).toMatchObject({ code: 'insufficient_scope', status: 403 })
})

const sendUpload = (bytes: string, key: string, path = '/projects/7/deploys') =>
  call('POST', path, { body: bytes, headers: { 'Content-Type': 'application/zip', 'Idempotency-Key': key } })

test('an upload sent again with its Idempotency-Key gets the first response and is not processed again', async () => {
  const first = await sendUpload('abc', 'one')
  const again = await sendUpload('abc', 'one')
  expect([again.status, again.json, works]).toEqual([201, first.json, 1])
  const headers = ['idempotent-replayed', 'location', 'etag'].map((name) => again.headers.get(name))
  expect(headers).toEqual(['true', '/v1/projects/7/deploys/1', first.headers.get('etag')])
  for (const other of [sendUpload('abd', 'one'), sendUpload('abc', 'one', '/projects/8/deploys')]) {
    expect((await other).json).toMatchObject({ code: 'idempotency_key_reused', status: 422 })
  }
  expect((await sendUpload('abc', 'two')).status).toBe(201)
  expect((await sendUpload('abc', 'x'.repeat(256))).json).toMatchObject({ code: 'invalid_parameter', status: 400 })
  expect(works).toBe(2)
})

test('of two uploads with one Idempotency-Key at once, the second is in progress until the first has its response', async () => {
  const release = Promise.withResolvers<void>()
  working = release.promise
  const first = sendUpload('abc', 'one')
  while ((await sendUpload('abd', 'one')).status !== 422) await Bun.sleep(1)
  expect((await sendUpload('abc', 'one')).json).toMatchObject({ code: 'idempotency_in_progress', status: 409 })
  release.resolve()
  expect([(await first).status, works]).toEqual([201, 1])
  expect((await sendUpload('abc', 'one')).headers.get('idempotent-replayed')).toBe('true')
})

test('the connection of an upload has no idle timeout until it is handled, and then the usual one', async () => {
  const release = Promise.withResolvers<void>()
  working = release.promise
  const timeouts: number[] = []
  const connection = { requestIP: () => null, timeout: (_: Request, seconds: number) => void timeouts.push(seconds) }
  const uploading = call('POST', '/projects/7/deploys', zipBody, connection)
  const page = call('GET', '/domains/www.example.com', {}, connection)
  await Bun.sleep(5)
  expect([(await page).status, timeouts]).toEqual([200, [0]])
  release.resolve()
  expect([(await uploading).status, timeouts]).toEqual([201, [0, 30]])
  await call('POST', '/projects/7/deploys', { ...zipBody, body: 'x'.repeat(2_000) }, connection)
  expect(timeouts).toEqual([0, 30, 0, 30])
})

test('the OpenAPI operation of an endpoint follows from its declaration', () => {
  const shared = createSharedParts()
  expect(operationOf('getDomain', examples.getDomain, shared)).toMatchObject({
    operationId: 'getDomain',
    parameters: [{ $ref: '#/components/parameters/Hostname' }, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: { 200: {}, 304: {}, 401: {}, 403: {}, 404: {}, 412: {}, 429: {}, 500: {}, 503: {} },
  })
  expect(shared.parts.parameters['Hostname']).toMatchObject({ name: 'hostname', in: 'path', required: true })
  expect(operationOf('createDeploy', examples.createDeploy, shared)).toMatchObject({
    requestBody: { content: { 'application/gzip': {}, 'application/zip': {} } },
    responses: { 201: {}, 400: {}, 413: {}, 415: {} },
  })
})

test('a path parameter accepts exactly the texts that match its schema, and its path matches them', () => {
  const { schema, pattern, parse } = fileNameParameter('')
  const text = fc.oneof(
    fc.domain(),
    fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', '.', '_', 'A', '/', '%', 'é'), maxLength: 70 }),
    fc.constantFrom('.', '..', '', 'a'.repeat(63), 'a'.repeat(64), `${'a.'.repeat(126)}a`, `${'a.'.repeat(127)}a`),
  )
  fc.assert(
    fc.property(text, (value) => {
      const {
        maxLength,
        minLength,
        pattern: described,
      } = schema as unknown as Record<string, number> & { pattern: string }
      const fits =
        new RegExp(described).test(value) && value.length <= Number(maxLength) && value.length >= Number(minLength)
      expect(parse(value)).toBe(fits ? value : undefined)
      if (fits) expect(value).toMatch(new RegExp(`^${pattern}$`))
    }),
    { numRuns: 500 },
  )
  expect(parse('..')).toBeUndefined()
  expect(parse('a/b')).toBeUndefined()
})

const options = { description: 'The domains.', cursorName: 'domains' }
const about = { method: 'GET', path: '/domains', tag: 'animals', summary: '', description: '', scope: 'any' } as const

test('the handler of a cached response that is the same for all callers gets no principal', () => {
  const shared = endpoint({ ...about, success: page(Domain, { ...options, cachedUntil: ['projects'] }) })
  const own = endpoint({
    ...about,
    success: page(Domain, { ...options, cachedUntil: ['projects'], variesBy: ({ accountId }) => String(accountId) }),
  })
  expectTypeOf<Parameters<Handler<typeof shared>>[0]['principal']>().toBeNever()
  expectTypeOf<Parameters<Handler<typeof own>>[0]['principal']>().toEqualTypeOf<Principal>()
  expect(own.success.variesBy({ accountId: 7 } as Principal)).toBe('7')
})
