import { describe, expect, test } from 'bun:test'
import { compressingProxies, startCompressingProxy } from '../testing/peers/compressing-proxy.ts'
import { startPetstore } from '../testing/start-petstore.ts'

for (const [name, proxy] of Object.entries(compressingProxies)) {
  describe.skipIf(proxy.program === undefined)(`behind ${name}, which compresses and changes entity tags`, () => {
    async function withStore(run: (send: Send) => Promise<void>): Promise<void> {
      // Apache leaves a short body as it is.
      const pets = [{ name: 'Honeysuckle '.repeat(8), categoryId: 2 }]
      await using store = await startPetstore({ seed: { pets } })
      const { url, stop } = await startCompressingProxy(proxy, store.url)
      try {
        await run((path, { headers, ...init } = {}) =>
          fetch(url + path, { ...init, headers: { Authorization: `Bearer ${store.key}`, ...headers } }),
        )
      } finally {
        await stop()
      }
    }

    test('If-None-Match gets 304 while nothing has changed', async () => {
      await withStore(async (send) => {
        // The service compresses the document itself where the proxy lets it.
        const document = name === 'nginx' ? ['/openapi.json'] : []
        for (const path of ['/v1/pets/1', '/v1/pets', '/v1/categories', ...document]) {
          const first = await send(path)
          const etag = first.headers.get('etag') ?? ''
          expect([path, first.status, first.headers.get('content-encoding')]).toEqual([path, 200, 'gzip'])
          expect(etag).toMatch(/^W\/"|-gzip"$/)
          const again = await send(path, { headers: { 'If-None-Match': etag } })
          expect([path, etag, again.status]).toEqual([path, etag, 304])
        }
      })
    })

    test('If-Match lets a change of what was read pass, and only one', async () => {
      await withStore(async (send) => {
        const change = (etag: string) =>
          send('/v1/pets/1', {
            method: 'PATCH',
            headers: { 'If-Match': etag, 'Content-Type': 'application/json' },
            body: '{"status":"sold"}',
          })
        const etag = (await send('/v1/pets/1')).headers.get('etag') ?? ''
        const changed = await change(etag)
        expect([etag, changed.status]).toEqual([etag, 200])
        expect((await change(etag)).status).toBe(412)
        expect((await change(changed.headers.get('etag') ?? '')).status).toBe(200)
      })
    })
  })
}

type Send = (
  path: string,
  init?: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>
