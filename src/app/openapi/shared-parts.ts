/**
 * The `components` of the OpenAPI document: a schema, response, parameter or header that several operations have is
 * described once, and they refer to it.
 */

type PartKind = 'responses' | 'parameters' | 'headers'

export function createSharedParts() {
  const parts: Readonly<Record<PartKind, Record<string, object>>> = { responses: {}, parameters: {}, headers: {} }

  /** Adds a part and returns the reference to it. Throws if two different parts have the same name. */
  function refer(kind: PartKind, name: string, part: object) {
    const known = parts[kind][name]
    if (known && !Bun.deepEquals(known, part)) throw new Error(`There are two ${kind} called ${name}.`)
    parts[kind][name] = part
    return { $ref: `#/components/${kind}/${name}` }
  }

  return { refer, parts }
}
export type SharedParts = ReturnType<typeof createSharedParts>

type Node = Readonly<Record<string, unknown>>

/** Keywords whose values are data, not schemas. */
const literals = new Set(['enum', 'const', 'default', 'examples', 'example'])

/**
 * Moves every schema with a title to `components.schemas` and replaces it by a `$ref`. A nullable value without a title
 * gets a list of types, such as `["string", "null"]`.
 */
export function createNamedSchemas() {
  const components: Record<string, Node> = {}

  /** Replaces the named parts of `schema` by references. Throws if two different schemas have the same name. */
  function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer)
    if (!isNode(schema)) return schema
    const { title, type, description, ...rest } = schema
    const described: Node = {
      ...(title === undefined ? {} : { title }),
      ...(type === undefined ? {} : { type }),
      ...(description === undefined ? {} : { description }),
      ...mapValues(rest, (value, keyword) => referKeyword(keyword, value)),
    }
    if (typeof title !== 'string') return withNullType(described)
    const known = components[title]
    if (known && !Bun.deepEquals(known, described)) throw new Error(`There are two schemas called ${title}.`)
    components[title] = described
    return { $ref: `#/components/schemas/${title}` }
  }

  function referKeyword(keyword: string, value: unknown): unknown {
    if (literals.has(keyword)) return value
    // Here the keys are names of members, even if they are also keywords.
    if (keyword === 'properties' && isNode(value)) return mapValues(value, refer)
    return refer(value)
  }

  return { refer, components }
}
export type NamedSchemas = ReturnType<typeof createNamedSchemas>

function withNullType(schema: Node): Node {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return schema
  const [{ type, enum: values, ...value }] = anyOf
  if (typeof type !== 'string') return schema
  return { type: [type, 'null'], ...value, ...rest, ...(values ? { enum: [...values, null] } : {}) }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** Returns a record with the same keys and mapped values. */
export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
