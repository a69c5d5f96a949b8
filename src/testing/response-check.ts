/** Checks responses against the OpenAPI document, so that code and document cannot differ. */

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

interface Header {
  readonly required?: boolean
  readonly schema: object
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Reference {
  readonly $ref: string
}

type Operations = Readonly<
  Record<string, { readonly responses: Readonly<Record<string, DescribedResponse | Reference>> }>
>

interface Document {
  readonly paths: Readonly<Record<string, Operations>>
}

export interface ReceivedResponse {
  readonly method: string
  /** Path with its `/v1`, without the query. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Returns a function that throws an Error if the OpenAPI document does not describe a response. */
export function createResponseCheck(documentText: string): (received: ReceivedResponse) => void {
  const document = JSON.parse(documentText) as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addFormat('int32', true).addFormat('int64', true)
  ajv.addSchema(closed(document) as object, 'document')
  const validators = new Map<object, ValidateFunction>()

  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    operations,
    expression: new RegExp(`^/v1${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    isLiteral: !template.includes('{'),
  }))

  return ({ method, path, status, headers, text }) => {
    const matching = templates.filter(({ expression }) => expression.test(path))
    const template = matching.find(({ isLiteral }) => isLiteral) ?? matching[0]
    const operation = template?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
    // The API rejects a path or method that is not described, and no operation describes that error.
    if (!operation) {
      assert([401, 404, 405, 429].includes(status), 'the operation is not described')
      return
    }
    const described = operation.responses[String(status)]
    assert(described !== undefined, `status ${status} is not described`)
    const response = resolve(described) as DescribedResponse
    for (const [name, reference] of Object.entries(response.headers ?? {})) {
      const header = resolve(reference) as Header
      const value = headers.get(name)
      if (value === null) assert(header.required !== true, `the header ${name} is missing`)
      else assert(matches(header.schema, value), `the header ${name} is not as described: ${value}`)
    }
    checkBody(response)

    function checkBody({ content = {} }: DescribedResponse): void {
      if (text === '' && (method === 'HEAD' || Object.keys(content).length === 0)) return
      const mediaType = headers.get('content-type')?.split(';')[0] ?? ''
      const schema = content[mediaType]?.schema
      assert(schema !== undefined, `a body of media type "${mediaType}" is not described`)
      if (mediaType !== 'application/json') return
      const validate = validatorOf(schema ?? {})
      assert(validate(JSON.parse(text)), `the body is not as described: ${ajv.errorsText(validate.errors)}`)
    }

    function assert(condition: boolean, message: string): void {
      if (!condition) throw new Error(`${method} ${path} → ${status}: ${message}\n${text}`)
    }
  }

  function resolve(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
    const names = String(value.$ref).slice(2).split('/')
    return resolve(names.reduce((node, name) => (node as Record<string, unknown>)[name], document as unknown))
  }

  /** Whether a header's value matches its schema. Values are text, so that digits also match a number. */
  function matches(schema: object, value: string): boolean {
    const validate = validatorOf(schema)
    return validate(value) || (/^\d+$/.test(value) && validate(Number(value)))
  }

  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema)
    if (known) return known
    const within = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object
    const validate = ajv.compile(closed(within) as object)
    validators.set(schema, validate)
    return validate
  }
}

/**
 * A copy of a schema that allows no other members than those described. The document allows more, because later
 * versions may add some; this version must send exactly these.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  const isObject = [copy['type']].flat().includes('object') && 'properties' in copy && !('additionalProperties' in copy)
  return isObject ? { ...copy, additionalProperties: false } : copy
}
