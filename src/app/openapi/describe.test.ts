import { expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { eventTypes } from '../../access/events/rules.ts'
import { scopes } from '../../api/scopes.ts'
import { writeDescription } from '../../cli/openapi.ts'
import { serveConfig } from '../../config/config.ts'
import { openTestStore } from '../../testing/harness.ts'

const text = await writeDescription(serveConfig({}))
const document = JSON.parse(text)
// A condition requires members that its schema describes. Naming them again in the condition needs boolean subschemas.
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, keywords: ['example'] })
addFormats(ajv)
ajv.addFormat('int32', true).addFormat('int64', true)
ajv.addVocabulary([
  'x-extensible-enum',
  'x-stability',
  'openapi',
  'info',
  'servers',
  'security',
  'tags',
  'webhooks',
  'paths',
  'components',
])
ajv.addSchema(document, 'document')

interface Operation {
  operationId: string
  security: readonly { readonly bearerAuth: readonly string[] }[]
  deprecated?: boolean
  'x-stability'?: string
  responses: Record<string, { $ref?: string; content?: Record<string, { examples: object }> }>
}

const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((path) => Object.values(path))

test('a parameter is required in the document if requests without it are rejected', () => {
  const { parameters } = document.paths['/projects/preview'].get
  const isRequired = (wanted: string) => parameters.find(({ name }: { name?: string }) => name === wanted)?.required
  expect([isRequired('name'), isRequired('accountId')]).toEqual([true, false])
})

test('the document equals the reviewed docs/openapi.json, which `scripts/check.sh --fix` updates', async () => {
  const snapshot = await Bun.file(new URL('../../../docs/openapi.json', import.meta.url)).text()
  expect(text === snapshot, 'docs/openapi.json is outdated: run scripts/check.sh --fix, then review its changes').toBe(
    true,
  )
})

test('a paragraph of a description has at most 400 characters', () => {
  const descriptions = [...text.matchAll(/"(?:description|summary)": ("(?:[^"\\]|\\.)*")/g)]
  expect(descriptions.length).toBeGreaterThan(500)
  const paragraphs = descriptions.flatMap(([, quoted = '']) => JSON.parse(quoted).split(/\n\n|\n(?=- )/) as string[])
  expect(paragraphs.filter((one) => one.length > 400 && !one.startsWith('|'))).toEqual([])
})

test('every schema is valid, and every example matches its schema', () => {
  for (const [name, { examples = [] }] of Object.entries<{ examples?: unknown[] }>(document.components.schemas)) {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` })
    for (const example of examples) expect(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true)
  }
})

test('the document has the names, parameters and statuses that clients of version 1.0.0 depend on', () => {
  const { '/pets': pets, '/pets/{petId}': pet } = document.paths
  expect([pets.get.operationId, pets.post.operationId, pet.get.operationId]).toEqual([
    'listPets',
    'createPet',
    'getPet',
  ])
  expect(Object.keys(document.components.schemas)).toContainValues(['PetStatus', 'NewPet', 'Pet', 'Pets', 'Error'])
  expect(pets.get.parameters).toContainEqual({ $ref: '#/components/parameters/Limit' })
  const limit = document.components.parameters.Limit
  expect(limit).toMatchObject({ name: 'limit', in: 'query', required: false })
  expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
  expect(Object.keys(pets.get.responses)).toContainValues(['200', '401'])
  expect(Object.keys(pets.post.responses)).toContainValues(['201', '400', '401'])
  expect(Object.keys(pet.get.responses)).toContainValues(['200', '401', '404'])
  expect(pet.get.deprecated).toBe(true)
  expect(document.components.schemas.Error).toMatchObject({
    required: ['code', 'message', 'status'],
  })
})

test('every operation requires a key and names its scopes', () => {
  const known: readonly string[] = scopes
  for (const { operationId, security } of operations) {
    const needed = security.flatMap(({ bearerAuth }) => bearerAuth)
    expect([operationId, needed.filter((scope) => !known.includes(scope))]).toEqual([operationId, []])
    expect(needed.length > 0).toBe(operationId !== 'getCurrentKey')
  }
  expect(document.paths['/pets'].get.security).toEqual([{ bearerAuth: ['pets:read'] }])
})

test('every operation describes the 400 of a request with a malformed Host', () => {
  for (const { operationId, responses } of operations) {
    const { $ref = '', content } = responses['400'] ?? {}
    const described = content ?? document.components.responses[$ref.split('/').at(-1) ?? '']?.content
    const codes = Object.keys(described?.['application/json'].examples ?? {})
    expect([operationId, codes]).toEqual([operationId, expect.arrayContaining(['invalid_parameter'])])
  }
})

test('the running environment is listed first, the other only if its address is known or both are on this machine', async () => {
  const urls = async (options: Record<string, string>) =>
    JSON.parse(await writeDescription(serveConfig(options))).servers.map(({ url }: { url: string }) => url)
  expect(await urls({})).toEqual(['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8081/v1'])
  for (const [host, other] of [
    ['localhost', ['http://localhost:8081/v1']],
    ['::1', ['http://[::1]:8081/v1']],
    ['::', []],
    ['192.0.2.1', []],
  ] as const) {
    const [own, ...others] = await urls({ environment: 'staging', host, port: '8080' })
    expect([host, own, others]).toEqual([host, expect.stringContaining(':8080/v1'), [...other]])
  }
  expect(await urls({ 'base-url': 'https://api.example/v1' })).toEqual(['https://api.example/v1'])
  expect(await urls({ 'platform-domain': 'stores.example' })).toEqual(['https://api.stores.example/v1'])
  expect(await urls({ host: '::', 'staging-base-url': 'https://staging.example/v1' })).toEqual([
    'http://localhost:8080/v1',
    'https://staging.example/v1',
  ])
  const given = { 'base-url': 'https://api.example/v1', 'staging-base-url': 'https://staging.example/v1' }
  expect(await urls({ environment: 'staging', ...given })).toEqual([given['staging-base-url'], given['base-url']])
})

test('the document describes every header of every response', async () => {
  const store = await openTestStore({}, 'free')
  const described = createHeaderCheck()
  const pet = { name: 'Honeysuckle', categoryId: 2 }
  const first = await store.call('POST', '/v1/pets', { body: pet })
  const second = await store.call('POST', '/v1/pets', { body: pet })
  described('/pets', 'post', first)
  described('/pets', 'post', await store.call('POST', '/v1/pets', { body: {} }))
  described('/pets', 'post', await store.call('POST', '/v1/pets', { rawBody: 'name=Honeysuckle' }))
  described('/pets', 'post', await store.call('POST', '/v1/pets', { rawBody: new Uint8Array(1_100_000) }))
  const page = await store.call('GET', '/v1/pets?limit=1')
  described('/pets', 'get', page)
  const headers = { 'If-None-Match': page.headers.get('etag') ?? '' }
  described('/pets', 'get', await store.call('GET', '/v1/pets?limit=1', { headers }))
  described('/pets', 'get', await store.call('GET', '/v1/pets?limit=0'))
  described('/pets', 'get', await store.call('GET', '/v1/pets', { key: null }))
  described('/pets/{petId}', 'get', await store.call('GET', second.headers.get('location') ?? ''))
  described('/pets/{petId}', 'get', await store.call('GET', '/v1/pets/x'))
  described('/pets/{petId}', 'get', await store.call('GET', '/v1/pets/1', { key: 'pet_live_x' }))
  for (let i = 0; i < 60; i++) await store.call('GET', '/v1/pets')
  described('/pets', 'get', await store.call('GET', '/v1/pets'))
  await store.close()
})

/** Headers of HTTP itself, which OpenAPI does not list. */
const standardHeaders = ['content-type', 'content-length', 'date']

function createHeaderCheck() {
  const resolve = (node: { $ref?: string }) =>
    node.$ref ? document.components.responses[node.$ref.split('/').at(-1) ?? ''] : node
  return (path: string, method: string, { status, headers }: { status: number; headers: Headers }) => {
    const { headers: listed = {} } = resolve(document.paths[path][method].responses[status])
    const names = [...standardHeaders, ...Object.keys(listed).map((name) => name.toLowerCase())]
    const undescribed = [...headers.keys()].filter((name) => !names.includes(name))
    expect({ path, method, status, undescribed }).toEqual({ path, method, status, undescribed: [] })
  }
}

test('the server accepts exactly the animals that match the schema', async () => {
  const store = await openTestStore()
  const fits = ajv.compile({ $ref: 'document#/components/schemas/NewPet' })
  const member = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.string({ maxLength: 3 }),
    fc.integer(),
    fc.double(),
    fc.constantFrom('available', 'sold', 'Sold', null, true, '1', 0, -1, 1.5, 2 ** 53, '😀'.repeat(60), ' ', '\ud800'),
  )
  const body = fc.oneof(
    fc.record({ name: member, categoryId: fc.oneof(fc.nat(), member), status: member }, { requiredKeys: [] }),
    fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1 }),
      categoryId: fc.integer({ min: 1 }),
      extra: member,
    }),
    fc.anything({ withNullPrototype: false }),
  )
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const sent: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
      store.clock.advance(1_000)
      const { status } = await store.call('POST', '/v1/pets', { body: sent })
      // Patterns for all engines cannot exclude lone surrogates and invisible names; the description does.
      const name = String((sent as { name?: unknown } | null)?.name ?? 'Ada')
      const isText = name.isWellFormed() && /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(name)
      expect(status).toBe(fits(sent) && isText ? 201 : 400)
    }),
    { numRuns: 500, examples: [[{ name: '\u{E0000}', categoryId: 1 }]] },
  )
  await store.close()
})

test('every type of event is a webhook of the document, with an example that is signed', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual([...eventTypes].sort())
  for (const [type, { post }] of Object.entries<{ post: { parameters: object[]; requestBody: object } }>(
    document.webhooks,
  )) {
    expect(post.parameters).toHaveLength(3)
    const [name = ''] = /[^/]+$/.exec(JSON.stringify(post.requestBody).match(/"\$ref":"([^"]+)"/)?.[1] ?? '') ?? []
    const [example] = document.components.schemas[name].examples
    expect(Object.keys(example).slice(0, 4)).toEqual(['id', 'timestamp', 'type', 'data'])
    expect(example.type).toBe(type)
  }
})
