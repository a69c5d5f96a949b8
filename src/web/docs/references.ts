/**
 * Replaces the references of an operation by their targets. Swagger UI's resolver parses the whole description for each
 * operation that is opened, which takes longer than everything else. The description refers only to itself, and never in a
 * circle.
 */

import type { UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

export const references: UiPlugin = () => ({
  fn: {
    resolveSubtree: (description, path) =>
      Promise.resolve({ spec: withoutReferences(at(description, path), description), errors: [] }),
  },
})

function withoutReferences(part: unknown, description: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutReferences(item, description))
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part) {
    const target = at(description, String(part.$ref).slice('#/'.length).split('/'))
    // Swagger UI names a schema by its reference.
    return { ...(withoutReferences(target, description) as object), $$ref: part.$ref }
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutReferences(value, description)]))
}

function at(description: unknown, path: readonly string[]): unknown {
  return path.reduce((part, name) => (part as Readonly<Record<string, unknown>>)[name], description)
}
