/**
 * The OpenAPI document of what is mounted: `@elysiajs/swagger` reads the routes, `docs/corrections.ts`
 * makes it exact, and what holds for all operations is added.
 */

import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { features } from '../http/api.ts'
import { errorSchema, parameterComponents, securitySchemes, tags } from './components.ts'
import { correctOperation, type Operation } from './corrections.ts'
import { headerComponents } from './described-headers.ts'
import { guideText } from './guide.ts'
import { createNamedSchemas, mapValues } from './named-schemas.ts'
import { sharedResponses } from './refusals.ts'
import { type Servers, serverList } from './servers.ts'

/** Writes the document, as JSON for people to read. */
export async function describeApi(app: App, servers: Servers): Promise<string> {
  const generated = await generate(app)
  const schemas = createNamedSchemas()
  const paths = mapValues(generated.paths, (operations) =>
    mapValues(operations, (operation, method) => correctOperation(method, operation, schemas)),
  )
  schemas.refer(errorSchema)
  const responses = referredTo(sharedResponses(), 'responses', paths)
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Pet Store API',
      version: '1.0.0',
      description: guideText(),
      contact: { name: 'Whoever runs this store' },
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: serverList(servers),
    security: [{ bearerAuth: [] }],
    tags: tagsOf(generated.paths),
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

/** Those of the components that `document` refers to. */
function referredTo<T>(components: Readonly<Record<string, T>>, kind: string, document: unknown): Record<string, T> {
  const text = JSON.stringify(document)
  const isUsed = ([name]: [string, T]) => text.includes(`"#/components/${kind}/${name}"`)
  return Object.fromEntries(Object.entries(components).filter(isUsed))
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const generatedPath = '/generated'

async function generate(app: App): Promise<{ paths: Paths }> {
  const mounted = new Elysia().use(swagger({ specPath: generatedPath })).use(features(app))
  const response = await mounted.handle(new Request(`http://localhost${generatedPath}`))
  return response.json() as Promise<{ paths: Paths }>
}

/** `/v1` is the end of the servers' addresses. */
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
