/**
 * The OpenAPI document of the declared endpoints: `@elysiajs/swagger` collects their operations, and the parts that all
 * operations share are added.
 */

import { Elysia } from 'elysia'
import { routerPath } from '../endpoint/parameters.ts'
import { endpoints } from '../http/api.ts'
import { errorSchema, parameterComponents, securitySchemes, tags } from './components.ts'
import { headerComponents } from './described-headers.ts'
import { sharedResponses } from './error-responses.ts'
import { guideText } from './guide.ts'
import { createNamedSchemas, mapValues } from './named-schemas.ts'
import { operationOf } from './operation.ts'
import { type Servers, serverList } from './servers.ts'

/** Returns the document as indented JSON. */
export async function describeApi(servers: Servers): Promise<string> {
  const collected = await collect()
  const schemas = createNamedSchemas()
  const paths = mapValues(collected, (operations) => mapValues(operations, schemas.refer))
  schemas.refer(errorSchema())
  const responses = referredTo(sharedResponses(), 'responses', paths)
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Pet Store API',
      version: '1.0.0',
      description: guideText(servers.urls[servers.running]),
      contact: { name: 'The operator of this store' },
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: serverList(servers),
    security: [{ bearerAuth: [] }],
    tags: tagsOf(collected),
    paths: Object.fromEntries(Object.entries(paths).map(([path, operations]) => [belowServer(path), operations])),
    components: {
      securitySchemes,
      schemas: schemas.components,
      parameters: referredTo(parameterComponents, 'parameters', paths),
      headers: referredTo(headerComponents(), 'headers', { paths, responses }),
      responses,
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The components that `document` refers to. */
function referredTo<T>(components: Readonly<Record<string, T>>, kind: string, document: unknown): Record<string, T> {
  const text = JSON.stringify(document)
  const isUsed = ([name]: [string, T]) => text.includes(`"#/components/${kind}/${name}"`)
  return Object.fromEntries(Object.entries(components).filter(isUsed))
}

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly tags?: readonly string[] }>>>>

const collectedPath = '/collected'

async function collect(): Promise<Paths> {
  // Loaded here, because it and the page that it could serve are a tenth of the code that a start would evaluate.
  const { swagger } = await import('@elysiajs/swagger')
  const described = new Elysia().use(swagger({ specPath: collectedPath }))
  for (const [id, endpoint] of Object.entries(endpoints)) {
    described.route(endpoint.method, routerPath(endpoint.path), () => '', {
      detail: operationOf(id, endpoint) as object,
    })
  }
  const response = await described.handle(new Request(`http://localhost${collectedPath}`))
  const { paths } = (await response.json()) as { paths: Paths }
  return paths
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
