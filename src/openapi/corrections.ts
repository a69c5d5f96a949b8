/** What `@elysiajs/swagger` gets wrong or can't know of an operation, put right. The one place for that. */

import { parameterByStatus } from './components.ts'
import { mapValues, type NamedSchemas } from './named-schemas.ts'

/** An operation as the plugin writes it, as far as it is put right. */
export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly security?: unknown
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly schema: Readonly<Record<string, unknown>>
}

type Content = Readonly<Record<string, { readonly schema?: unknown }>>

/** The operation as it really is, its named schemas moved to the components. */
export function correctOperation(method: string, operation: Operation, schemas: NamedSchemas) {
  const { operationId, summary, description, deprecated, parameters, requestBody, responses, security, ...rest } =
    operation
  const fromAnswers = Object.keys(responses).flatMap((status) => parameterByStatus[status] ?? [])
  const allParameters = [
    ...(parameters ?? []).map((parameter) => correctParameter(parameter, schemas)),
    ...fromAnswers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  return {
    ...rest,
    operationId,
    summary,
    description,
    ...(deprecated ? { deprecated } : {}),
    ...(allParameters.length > 0 ? { parameters: allParameters } : {}),
    ...(requestBody ? { requestBody: correctBody(method, requestBody, schemas) } : {}),
    responses: mapValues(responses, (response) => correctResponse(response, schemas)),
    security,
  }
}

/** The plugin takes a schema's description and examples for the parameter's: the latter are of another shape there. */
function correctParameter(
  { name, in: place, required, description, examples, schema }: Parameter,
  schemas: NamedSchemas,
) {
  const { 'x-stability': stability, ...plain } = schema
  const isNamed = 'title' in schema
  return {
    name,
    in: place,
    description,
    required,
    ...(stability === undefined ? {} : { 'x-stability': stability }),
    schema: schemas.refer(isNamed ? { ...plain, description, examples } : plain),
    // Only where a value is needed: the docs page fills examples in, and would filter by them.
    ...(isNamed || examples === undefined || !required ? {} : { example: examples[0] }),
  }
}

function correctBody(
  method: string,
  { content, ...body }: NonNullable<Operation['requestBody']>,
  schemas: NamedSchemas,
) {
  // The plugin adds form data and plain text to every body, and doesn't know of merge patches (RFC 7396).
  const { 'application/json': json = {} } = content
  const taken = { 'application/json': json, ...(method === 'patch' ? { 'application/merge-patch+json': json } : {}) }
  return { ...body, content: correctContent(taken, schemas) }
}

function correctResponse({ content, ...response }: Operation['responses'][string], schemas: NamedSchemas) {
  return content ? { ...response, content: correctContent(content, schemas) } : response
}

function correctContent(content: Content, schemas: NamedSchemas) {
  return mapValues(content, ({ schema, ...mediaType }) => ({ schema: schemas.refer(schema), ...mediaType }))
}
