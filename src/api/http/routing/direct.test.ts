import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { scopes } from '../../../access/keys/rules.ts'
import { endpoints } from '../../../app/api.ts'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'
import { attachContext, type RequestContext } from '../context.ts'

let store: TestStore
let key: string
let narrowKey: string

beforeEach(async () => {
  store = await openTestStore({ corsOrigins: ['https://shop.example'] })
  for (const name of ['Ada', 'Ben', 'Chuy']) await store.call('POST', '/v1/pets', { body: { name, categoryId: 1 } })
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  key = (await store.newKey({ plan: 'enterprise', scopes })).key
  narrowKey = (await store.newKey({ plan: 'enterprise', scopes: ['orders:read'] })).key
})
afterEach(() => store.close())

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
}

type Way = (request: Request) => Response | Promise<Response>

/** What a client sees of a response, and what the request log and the metrics see, without the counts of requests. */
async function seen(way: Way, { method, path, headers }: Sent) {
  const request = new Request(`http://localhost${path}`, { method, headers })
  const context: RequestContext = {
    peer: { requestIP: () => null },
    startedMs: 0,
    hasInvalidHost: headers['x-test'] === 'host',
    isSecure: false,
    operation: undefined,
    requestId: undefined,
    keyId: undefined,
    errorCode: undefined,
  }
  attachContext(request, context)
  const response = await way(request)
  const { operation, keyId, errorCode, requestId } = context
  const sent = Object.fromEntries(response.headers)
  expect(sent['x-request-id']).toBe(requestId as string)
  for (const name of ['x-request-id', 'x-ratelimit-remaining', 'ratelimit']) delete sent[name]
  const text = await response.text()
  const countsRequests = /Account|CurrentKey|Overview|Usage|System/.test(operation ?? '') && response.status < 400
  if (countsRequests) for (const name of ['etag', 'content-length']) delete sent[name]
  const shown = countsRequests ? '' : text
  return { status: response.status, headers: sent, text: shown, operation, keyId, errorCode }
}

const reads = Object.values(endpoints).filter(({ method }) => method === 'GET')
const segments = [
  '1',
  '2',
  '9',
  '0',
  '01',
  '1%32',
  '%31',
  'x',
  'count',
  'batch',
  'a.example',
  '',
  '1/',
  '%',
  '+1',
  '9007199254740993',
]
const queries = [
  '',
  '?',
  '?limit=2',
  '?limit=2&limit=3',
  '?limit=0',
  '?status=sold',
  '?q=a%20b&x=1',
  '?cursor=%zz',
  '?ids=1',
  '#x',
  '/',
]

const path = fc
  .record({
    declared: fc.constantFrom(...reads.map((endpoint): string => endpoint.path), '/nothing', '/pets/batch', ''),
    value: fc.constantFrom(...segments),
    query: fc.constantFrom(...queries),
  })
  .map(({ declared, value, query }) => `/v1${declared.replaceAll(/\{[^}]+\}/g, value)}${query}`)

test('a request gets the same response with and without Elysia', async () => {
  const { api } = store.app
  const tag = (await store.call('GET', '/v1/pets/1')).headers.get('etag') ?? ''
  const condition = fc.constantFrom('*', tag, `W/${tag}`, '"x"', `"x", ${tag}`)
  const headers = fc.record(
    {
      authorization: fc.constantFrom(`Bearer ${key}`, `Bearer ${narrowKey}`, `bearer  ${key} `, 'Bearer x', ''),
      'if-none-match': condition,
      'if-match': condition,
      origin: fc.constantFrom('https://shop.example', 'https://other.example'),
      'x-test': fc.constantFrom('', '', '', 'host'),
    },
    { requiredKeys: ['authorization'] },
  )
  const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS')
  let direct = 0
  await fc.assert(
    fc.asyncProperty(fc.record({ method, path, headers }), async (sent) => {
      const counted = (request: Request) => {
        const response = api.direct(request)
        if (response) direct++
        return response ?? api.elysia.fetch(request)
      }
      expect(await seen(counted, sent)).toEqual(await seen(api.elysia.fetch, sent))
      // Once more, as most URLs are requested more than once.
      expect(await seen(counted, sent)).toEqual(await seen(api.elysia.fetch, sent))
    }),
    { numRuns: 2_000 },
  )
  expect(direct).toBeGreaterThan(500)
})

test('Elysia is left out for the GETs of declared paths alone', () => {
  const isDirect = (method: string, target: string) =>
    store.app.api.direct(new Request(`http://localhost${target}`, { method })) !== undefined
  const paths = [
    '/v1/pets',
    '/v1/pets?limit=20',
    '/v1/pets/1',
    '/v1/categories',
    '/v1/keys/current',
    '/v1/store/inventory',
  ]
  expect(paths.filter((target) => !isDirect('GET', target))).toEqual([])
  expect(paths.filter((target) => isDirect('HEAD', target) || isDirect('POST', target))).toEqual([])
  const others = [
    '/v1',
    '/v1/',
    '/v1/pets/',
    '/v1/pets/%31',
    '/v1/pets/1/2',
    '/v1/pets/count',
    '/v1/exports/pets',
    '/v2/pets',
  ]
  expect(others.filter((target) => isDirect('GET', target))).toEqual([])
})

test('a GET that fails unexpectedly is an internal error with and without Elysia', async () => {
  const sent = { method: 'GET', path: '/v1/pets/2', headers: { authorization: `Bearer ${key}` } }
  store.app.pets.find = () => {
    throw new Error('broken')
  }
  const direct = await seen((request) => store.app.api.direct(request) ?? new Response(), sent)
  expect(direct).toEqual(await seen(store.app.api.elysia.fetch, sent))
  expect([direct.status, direct.errorCode]).toEqual([500, 'internal_error'])
})
