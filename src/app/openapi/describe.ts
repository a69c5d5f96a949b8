/**
 * The OpenAPI document: `@elysiajs/swagger` collects the routes of the API, the declarations of their endpoints
 * describe them, and the parts that all operations share are added.
 */

import { Elysia } from 'elysia'
import { endpoints, type Routes } from '../api.ts'
import { errorSchema, securitySchemes, tags } from './components.ts'
import { guideText } from './guide.ts'
import { operationOf } from './operation.ts'
import { type Servers, serverList } from './servers.ts'
import { createNamedSchemas, createSharedParts, mapValues, type SharedParts } from './shared-parts.ts'
import { describeWebhooks } from './webhooks.ts'

/** Returns the document as indented JSON. */
export async function describeApi(routes: Routes, servers: Servers): Promise<string> {
  const shared = createSharedParts()
  const collected = await collect(routes, shared)
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

type Operation = ReturnType<typeof operationOf>

const collectedPath = '/collected'

/** The operations of `routes`, which name the ids of their operations. */
async function collect(routes: Routes, shared: SharedParts) {
  // Loaded here, because it and the page that it could serve are a tenth of the code that a start would evaluate.
  const { swagger } = await import('@elysiajs/swagger')
  const described = new Elysia().use(swagger({ specPath: collectedPath })).use(routes)
  const response = await described.handle(new Request(`http://localhost${collectedPath}`))
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, { operationId: string }>> }
  const operations = mapValues(endpoints, (endpoint, id) => operationOf(id, endpoint, shared))
  return mapValues(paths, (methods) => mapValues(methods, ({ operationId }) => operations[operationId] as Operation))
}

/** The servers' addresses end in `/v1`. */
function belowServer(path: string): string {
  return path.slice('/v1'.length)
}

/** The tags in use; throws for one without a description. */
function tagsOf(paths: Awaited<ReturnType<typeof collect>>) {
  const used = new Set<string>(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)))
  for (const name of used) {
    if (!tags.some((tag) => tag.name === name)) throw new Error(`The tag ${name} has no description.`)
  }
  return tags.filter(({ name }) => used.has(name))
}
