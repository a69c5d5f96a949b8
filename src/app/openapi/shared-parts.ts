/**
 * `components` of the OpenAPI document besides schemas: a response, parameter or header that several operations have is
 * described once, and they refer to it.
 */

export type PartKind = 'responses' | 'parameters' | 'headers'

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
