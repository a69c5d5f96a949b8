import { expect, test } from 'bun:test'
import type { UiSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import description from '../../../docs/openapi.json'
import { references } from './references.ts'

test('no reference is left in any operation or message, and a schema keeps its name', async () => {
  const { resolveSubtree } = references({} as UiSystem).fn ?? {}
  for (const part of ['paths', 'webhooks'] as const) {
    for (const [path, operations] of Object.entries(description[part])) {
      for (const method of Object.keys(operations)) {
        const resolved = JSON.stringify(await resolveSubtree?.(description, [part, path, method]))
        expect([path, method, resolved.includes('"$ref"')]).toEqual([path, method, false])
        expect(resolved).toContain('"$$ref":"#/components/')
      }
    }
  }
})
