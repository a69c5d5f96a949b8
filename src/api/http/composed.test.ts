/**
 * Elysia decides by a handler's source text whether it is asynchronous, and treats `return f()` as asynchronous. An
 * asynchronous handler costs a tenth of the throughput, so this test checks the text that is compiled in.
 */

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Harness from '../../testing/harness.ts'

/** The names of the functions that Elysia has composed for the hot paths: `Function` or `AsyncFunction`. */
async function composedOf({ openTestStore }: typeof Harness) {
  const store = await openTestStore()
  await store.call('POST', '/v1/pets', { body: { name: 'Ada', categoryId: 1 } })
  for (const path of ['/v1/pets', '/v1/pets/1']) {
    expect((await store.call('HEAD', path)).status).toBe(200)
  }
  const routes = store.app.api.elysia.router.history.filter(
    ({ method, path }) => method === 'GET' && ['/v1/pets', '/v1/pets/:petId'].includes(path),
  )
  const composed = routes.map(({ path, composed: handle }) => [path, handle?.constructor.name])
  const fetch = store.app.api.elysia.fetch.constructor.name
  await store.close()
  return { composed, fetch }
}

const synchronous = {
  composed: [
    ['/v1/pets', 'Function'],
    ['/v1/pets/:petId', 'Function'],
  ],
  fetch: 'Function',
}

test('reading animals is composed as synchronous code, bundled as scripts/build.sh bundles it', async () => {
  const outdir = mkdtempSync(join(tmpdir(), 'petstore-bundle-'))
  const entrypoint = join(import.meta.dir, '../../testing/harness.ts')
  const { outputs } = await Bun.build({ entrypoints: [entrypoint], target: 'bun', bytecode: true, outdir })
  const bundled = (await import(outputs[0]?.path ?? '')) as typeof Harness
  expect(await composedOf(bundled)).toEqual(synchronous)
  rmSync(outdir, { recursive: true })
})
