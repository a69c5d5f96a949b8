/**
 * The OpenAPI document of the declared endpoints: `@elysiajs/swagger` collects their operations, and the parts that all
 * operations share are added.
 */

import { Elysia } from 'elysia'
import { endpoints } from '../api.ts'
import { errorSchema, securitySchemes, tags } from './components.ts'
import { guideText } from './guide.ts'
import { createNamedSchemas, mapValues } from './named-schemas.ts'
import { operationOf } from './operation.ts'
import { type Servers, serverList } from './servers.ts'
import { createSharedParts, type SharedParts } from './shared-parts.ts'
import { describeWebhooks } from './webhooks.ts'

/** Returns the document as indented JSON. */
export async function describeApi(servers: Servers): Promise<string> {
  const shared = createSharedParts()
  const collected = await collect(shared)
  const schemas = createNamedSchemas()
  const paths = mapValues(collected, (operations) => mapValues(operations, schemas.refer))
  const webhooks = describeWebhooks(shared, schemas)
  const parts = mapValues(shared.parts, (kind) => mapValues(kind, schemas.refer))
  schemas.refer(errorSchema())
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Pet Store API',
      version: '1.0.0',
      description: guideText(servers.url),
      contact: { name: 'The operator of this store' },
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: serverList(servers),
    security: [{ bearerAuth: [] }],
    tags: tagsOf(collected),
    paths: Object.fromEntries(Object.entries(paths).map(([path, operations]) => [belowServer(path), operations])),
    webhooks,
    components: { securitySchemes, schemas: schemas.components, ...parts },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

interface Operation {
  readonly tags?: readonly string[]
  readonly parameters?: readonly ({ readonly $ref: string } | { readonly in: string })[]
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const collectedPath = '/collected'

async function collect(shared: SharedParts): Promise<Paths> {
  // Loaded here, because it and the page that it could serve are a tenth of the code that a start would evaluate.
  const { swagger } = await import('@elysiajs/swagger')
  const described = new Elysia().use(swagger({ specPath: collectedPath }))
  for (const [id, endpoint] of Object.entries(endpoints)) {
    described.route(endpoint.method, `/v1${endpoint.path}`, () => '', {
      detail: operationOf(id, endpoint, shared) as object,
    })
  }
  const response = await described.handle(new Request(`http://localhost${collectedPath}`))
  const { paths } = (await response.json()) as { paths: Paths }
  return mapValues(paths, (operations) =>
    mapValues(operations, ({ parameters = [], ...operation }) => ({
      ...operation,
      // The plugin adds parameters for the names in a path, because it does not follow references to those described.
      parameters: parameters.filter((parameter) => '$ref' in parameter || parameter.in !== 'path'),
    })),
  )
}

/** The servers' addresses end in `/v1`. */
function belowServer(path: string): string {
  return path.slice('/v1'.length)
}

/** The tags in use; throws for one without a description. */
function tagsOf(paths: Paths) {
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags = [] }) => tags)))
  for (const name of used) {
    if (!tags.some((tag) => tag.name === name)) throw new Error(`The tag ${name} has no description.`)
  }
  return tags.filter(({ name }) => used.has(name))
}
