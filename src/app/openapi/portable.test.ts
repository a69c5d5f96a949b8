/** What code generators need of the document. `generators.long.ts` runs those that the package registries have. */

import { expect, test } from 'bun:test'

const text = await Bun.file(new URL('../../../docs/openapi.json', import.meta.url)).text()

type Node = Readonly<Record<string, unknown>>

/** Every object of the document with its path. */
function* nodesOf(value: unknown, path = '#'): Generator<readonly [path: string, node: Node]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Node]
  for (const [name, member] of Object.entries(value)) yield* nodesOf(member, `${path}/${name}`)
}

const nodes = [...nodesOf(JSON.parse(text))]
const schemas = nodes.filter(([path]) => !path.includes('/examples/'))

/** The paths of all that a client receives: the responses and the webhooks, with what they refer to. */
function receivedParts(): string[] {
  const parts = new Set(['#/webhooks', ...nodes.map(([path]) => path).filter((path) => path.endsWith('/responses'))])
  // A set that grows while it is read.
  for (const part of parts) {
    for (const [path, { $ref }] of nodes) {
      if (path.startsWith(`${part}/`) && typeof $ref === 'string') parts.add($ref)
    }
  }
  return [...parts]
}

test('a summary is plain text', () => {
  const summaries = nodes.map(([, { summary }]) => summary).filter((summary) => typeof summary === 'string')
  expect(summaries.filter((summary) => /[`*[]/.test(summary))).toEqual([])
})

test('no schema is a boolean: conditions use `required` and `not`', () => {
  const single = ['if', 'then', 'else', 'not', 'items', 'contains', 'propertyNames']
  const booleans = schemas.filter(([path, node]) =>
    single.some((keyword) => typeof node[keyword] === 'boolean') || path.endsWith('/properties')
      ? Object.values(node).some((value) => typeof value === 'boolean')
      : ['oneOf', 'anyOf', 'allOf'].some((keyword) => [node[keyword]].flat().some((one) => typeof one === 'boolean')),
  )
  expect(booleans).toEqual([])
})

test('no member is required that its schema does not have', () => {
  const missing: string[] = []
  const check = (path: string, node: Node, members: readonly string[]) => {
    const known = [...members, ...Object.keys((node['properties'] as object | undefined) ?? {})]
    for (const name of (node['required'] as readonly string[] | undefined) ?? []) {
      if (!known.includes(name)) missing.push(`${path}: ${name}`)
    }
    for (const keyword of ['if', 'then', 'else', 'not', 'anyOf', 'allOf', 'oneOf']) {
      for (const part of [node[keyword] ?? []].flat()) check(`${path}/${keyword}`, part as Node, known)
    }
  }
  const named = Object.entries<Node>(JSON.parse(text).components.schemas)
  for (const [name, schema] of named) check(name, schema, [])
  expect(missing).toEqual([])
})

test('an enumeration of integers has no bounds, and a value that can be null has a list of types', () => {
  const bounded = schemas.filter(([, node]) => node['enum'] && ('minimum' in node || 'maximum' in node))
  const unions = schemas.filter(([, { anyOf }]) => Array.isArray(anyOf) && anyOf.some(({ type }) => type === 'null'))
  const unnamed = unions.filter(([, { anyOf }]) => !JSON.stringify(anyOf).includes('$ref'))
  expect([bounded, unnamed]).toEqual([[], []])
})

test('patterns use what JavaScript, RE2, Python and Rust have in common', () => {
  const patterns = schemas.flatMap(([path, { pattern }]) => (typeof pattern === 'string' ? [[path, pattern]] : []))
  expect(patterns.length).toBeGreaterThan(50)
  // Escapes other than two upper-case hexadecimal digits, look-around, named groups, backreferences, lazy quantifiers.
  const foreign = /\\(?![sSdDwW.$^*+?()[\]{}|/-]|x[0-9A-F]{2})|\(\?(?!:)|[*+?}][?+]|\[\[|&&|--|~~/
  expect(patterns.filter(([, pattern = '']) => foreign.test(pattern))).toEqual([])
  for (const [, pattern = ''] of patterns) {
    for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow()
    // RE2 repeats at most 1,000 times.
    for (const [, times] of pattern.matchAll(/([0-9]+)\}/g)) expect(Number(times)).toBeLessThanOrEqual(1_000)
  }
})

test('no member has a default value: generators make such a member required', () => {
  const members = schemas.filter(([path, node]) => /\/properties\/[^/]+$/.test(path) && 'default' in node)
  expect(members.map(([path]) => path)).toEqual([])
})

test('only files that are not text have the format binary', () => {
  const binary = schemas.filter(([, { format }]) => format === 'binary').map(([path]) => path.split('/content/')[1])
  expect(binary).toContain('application/zip/schema')
  expect(binary.filter((type) => type?.startsWith('text/') || type?.includes('json'))).toEqual([])
})

test('values of responses that may grow are not a closed enumeration', () => {
  const received = receivedParts()
  const closed = schemas.filter(
    ([path, node]) =>
      node['enum'] &&
      /(state|type|actor|scopes|code|kind)(\/items)?$/.test(path) &&
      received.some((part) => path.startsWith(`${part}/`)),
  )
  expect(received).toContain('#/components/schemas/Website')
  expect(received).not.toContain('#/components/schemas/WebsiteChange')
  expect(closed.map(([path]) => path)).toEqual([])
})

test('what operations share is described once: the document stays below 900 kB, and 500 kB without white space', () => {
  expect(text.length).toBeLessThan(900_000)
  expect(JSON.stringify(JSON.parse(text)).length).toBeLessThan(500_000)
  const operations = Object.values<Record<string, { responses: Record<string, object>; deprecated?: true }>>(
    JSON.parse(text).paths,
  ).flatMap((methods) => Object.values(methods))
  const inline = operations
    .filter(({ deprecated }) => !deprecated)
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status, response]) => !status.startsWith('2') && !('$ref' in response))
  expect(inline).toEqual([])
})
