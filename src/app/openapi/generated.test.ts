/**
 * Sends valid and invalid requests that are generated from the document to every operation. The document must describe
 * each response (the harness checks it), none may be a 5xx, and a body is rejected exactly if its schema rejects it.
 */

import { expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { issueKey } from '../../access/keys/issue.ts'
import { writeDescription } from '../../cli/openapi.ts'
import { serveConfig } from '../../config/config.ts'
import { openTestStore, type TestStore } from '../../testing/harness.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema | boolean>>
  readonly items?: Schema
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const description = JSON.parse(await writeDescription(serveConfig({})))
const ajv = new Ajv2020({ strict: false })
addFormats(ajv)
ajv.addFormat('int32', true).addFormat('int64', true)
ajv.addSchema(description, 'document')

const resolve = <T extends { readonly $ref?: string }>(node: T): T =>
  node.$ref === undefined
    ? node
    : node.$ref
        .slice(2)
        .split('/')
        .reduce((value, name) => value[name], description)

/** Values that programs send by mistake or attackers send on purpose. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 53),
    1e300,
    '',
    ' ',
    'null',
    'undefined',
    '0x10',
  ),
  fc.constantFrom(
    '1e1',
    '\u0000',
    '\ud800',
    '\ufeff',
    '😀'.repeat(300),
    '../..',
    '%00',
    "'; DROP TABLE pets; --",
    '9999-12-31T23:59:59Z',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant('['.repeat(100)).map((text) => JSON.parse(text + ']'.repeat(100))),
)

/** Values that mostly fit a schema. */
function arbitraryOf(given: Schema | boolean | undefined): fc.Arbitrary<unknown> {
  if (given === undefined || typeof given === 'boolean') return fc.jsonValue({ maxDepth: 1 })
  const node = resolve(given)
  if (node.enum) return fc.constantFrom(...node.enum)
  if (Array.isArray(node.type)) return fc.oneof(...node.type.map((type) => arbitraryOf({ ...node, type })))
  if (node.anyOf) return fc.oneof(...node.anyOf.map(arbitraryOf))
  switch (node.type) {
    case 'integer':
      return fc.oneof(fc.integer({ min: 1, max: 5 }), fc.maxSafeInteger(), fc.constantFrom(node.minimum, node.maximum))
    case 'array':
      return fc.array(arbitraryOf(node.items), { maxLength: 3 })
    case 'object': {
      const members = Object.entries(node.properties ?? {}).map(([name, member]) => [name, arbitraryOf(member)])
      return fc.record(Object.fromEntries(members), { requiredKeys: [] })
    }
    case 'null':
      return fc.constant(null)
    default:
      return fc.oneof(fc.constantFrom(...(node.examples ?? ['text'])), fc.string({ unit: 'grapheme', maxLength: 120 }))
  }
}

const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd })

/** A body with one member that may be anything. */
function bodyOf(schema: Schema): fc.Arbitrary<unknown> {
  const members = Object.keys(resolve(schema).properties ?? {})
  const spoiled = fc
    .tuple(arbitraryOf(schema), fc.constantFrom(...members, '__proto__', 'unknown'), odd)
    .map(([body, member, value]) => ({ ...(body as object), [member]: value }))
  return fc.oneof(
    { weight: 4, arbitrary: arbitraryOf(schema) },
    { weight: 4, arbitrary: spoiled },
    { weight: 1, arbitrary: odd },
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function requestOf(path: string, { parameters = [], requestBody }: Operation) {
  const known = parameters.map(resolve)
  const place = (wanted: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        known.filter((one) => one.in === wanted).map((one) => [one.name, mostly(arbitraryOf(one.schema))]),
      ),
      wanted === 'path' ? {} : { requiredKeys: [] },
    )
  const schema = requestBody?.content['application/json']?.schema
  return fc
    .record({
      path: place('path'),
      query: place('query'),
      headers: place('header'),
      body: schema ? bodyOf(schema) : fc.constant(undefined),
    })
    .map((parts) => {
      const query = Object.entries(parts.query as object).map(([name, value]) => [name, textOf(value)])
      const filled = path.replace(/\{([^}]+)\}/g, (_, name) =>
        encodeURIComponent(textOf((parts.path as Record<string, unknown>)[name]).toWellFormed()),
      )
      const headers = Object.entries(parts.headers as object).flatMap(([name, value]) =>
        /^[\u0020-\u007e]*$/.test(textOf(value)) ? [[name, textOf(value)]] : [],
      )
      return {
        path: `/v1${filled}?${new URLSearchParams(query)}`,
        headers: Object.fromEntries(headers) as Record<string, string>,
        // The body is checked as it is after JSON encoding, without members that are undefined.
        body: parts.body === undefined ? undefined : (JSON.parse(JSON.stringify(parts.body)) as unknown),
        schema,
      }
    })
}

const operations = Object.entries<Record<string, Operation>>(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Messages of rules that schemas cannot express. Their errors have the code `invalid_body`, too. */
const statefulRules =
  /^hostname: |must be (a domain name|an IP address|an address)|has characters that are not allowed|in the past|enterprise plan|nested deeper|cannot lose its|redirect must be left out|into must be another|must not be blank|in the future|a day that exists|different labels|broken Unicode/

test.each(operations)('$method $path responds as described to any request', async ({ path, method, operation }) => {
  const store = await openTestStore()
  // Requests contain ids up to 5. If one revokes or changes the key that sends them, a new key is used.
  for (let i = 0; i < 5; i++) await store.newKey()
  let { key } = await issueUnlimited(store)
  const pet = { name: 'Ada', categoryId: 1 }
  for (let i = 0; i < 4; i++) await store.call('POST', '/v1/pets', { body: pet })
  await store.call('POST', '/v1/store/orders', { body: { petId: 1 } })
  for (let i = 0; i < 4; i++) await store.call('POST', '/v1/projects', { body: { name: 'Paws' } })
  const schemas = new Map<Schema, (value: unknown) => boolean>()
  const fits = (schema: Schema, value: unknown) => {
    const check =
      schemas.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))
    schemas.set(schema, check)
    return check(value)
  }
  await fc.assert(
    fc.asyncProperty(requestOf(path, operation), async ({ path: target, headers, body, schema }) => {
      const { status, json } = await store.call('GET', '/v1/keys/current', { key })
      if (status !== 200 || json.limits.perDay !== unlimited || !json.scopes.includes('admin')) {
        key = (await issueUnlimited(store)).key
      }
      const response = await store.call(method, target, { key, headers, ...(schema ? { body } : {}) })
      expect(response.status).toBeLessThan(500)
      if (!schema || response.status === 404 || response.json?.code === 'invalid_parameter') return
      const isRejected = response.json?.code === 'invalid_body'
      if (!fits(schema, body)) expect([response.status, response.json?.code]).toEqual([400, 'invalid_body'])
      else if (isRejected) expect(response.json.message).toMatch(statefulRules)
    }),
    { numRuns: 120 },
  )
  await store.close()
})

const unlimited = 1_000_000_000

function issueUnlimited({ app, clock }: TestStore) {
  const custom = { perMinute: unlimited, perDay: unlimited }
  const account = { name: 'Generated', plan: 'enterprise', custom } as const
  const order = { name: 'Generated', account, scopes: ['admin'], expiresAt: undefined } as const
  return app.writer.write(() => issueKey(app, order, { actor: 'system', nowMs: clock.now() }))
}
