/** Some minutes of everything that clients do, on the compiled executable: no unexpected response, no leak. */

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { buildZip } from '../hosting/deploys/testing/zip.ts'
import { createWorkspace, isBuilt } from './executable.ts'

const soakMs = 150_000
/** The first part of the load fills the caches: the memory in use then is compared with that at the end. */
const warmMs = 30_000
const hasProc = process.platform === 'linux'
if (!hasProc) console.error('SKIPPED: the memory and the descriptors of the server are read from /proc.')

const site = (version: number) => buildZip([{ name: 'index.html', content: `<title>Version ${version}</title>` }])

test.skipIf(!isBuilt || !hasProc)(
  'after minutes of mixed requests nothing has failed, and memory and descriptors are as before',
  async () => {
    const workspace = createWorkspace()
    try {
      await workspace.run('demo')
      const { out } = await workspace.run(
        ...['keys', 'create', '--name', 'Soak', '--plan', 'enterprise', '--json', '--scope', 'admin'],
        ...['--per-minute', '10000000', '--per-day', '1000000000'],
      )
      const { key } = JSON.parse(out) as { key: string }
      const server = await workspace.serve()
      const { url, pid } = server.ready

      const counts = new Map<string, number>()
      async function call(method: string, path: string, body?: object | Uint8Array | string) {
        const isJson = body !== undefined && !(body instanceof Uint8Array) && typeof body !== 'string'
        const type = isJson ? 'application/json' : typeof body === 'string' ? 'text/csv' : 'application/zip'
        const response = await fetch(`${url}/v1${path}`, {
          method,
          headers: { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'Content-Type': type }) },
          ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
        })
        const text = await response.text()
        const outcome = `${method} ${path.replaceAll(/\d+/g, 'N').split('?')[0]} ${response.status}`
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
        return { status: response.status, json: text === '' || text.startsWith('id,') ? undefined : JSON.parse(text) }
      }
      const project = (await call('POST', '/projects', { name: 'Soak' })).json.id

      const clients: readonly (() => Promise<unknown>)[] = [
        async () => {
          const { json: pet } = await call('POST', '/pets', { name: 'Bramble', categoryId: 2 })
          const { json: order } = await call('POST', '/store/orders', { petId: pet.id })
          await call('POST', `/store/orders/${order.id}/cancel`)
          await call('PATCH', `/pets/${pet.id}`, { name: 'Briar' })
          await call('DELETE', `/pets/${pet.id}`)
        },
        () => call('GET', '/pets?q=br&limit=100'),
        () => call('GET', '/store/inventory'),
        () => call('GET', '/overview'),
        () => call('GET', '/exports/pets?format=csv'),
        async () => {
          const rows = Array.from({ length: 500 }, () => `${crypto.randomUUID()},Dog\n`)
          const { json } = await call('POST', '/imports', `name,category\n${rows.join('')}`)
          await call('DELETE', `/imports/${json.id}`)
        },
        async () => {
          await call('POST', `/projects/${project}/deploys`, site(counts.size))
          await Bun.sleep(1_000)
        },
        async () => {
          // Clients that disconnect in the middle of a response.
          const controller = new AbortController()
          const reading = fetch(`${url}/v1/exports/pets?format=ndjson`, {
            headers: { Authorization: `Bearer ${key}` },
            signal: controller.signal,
          })
          await (await reading).body?.getReader().read()
          controller.abort()
        },
      ]

      const use = () => ({
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        megabytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
      })
      const startMs = performance.now()
      let warm: ReturnType<typeof use> | undefined
      await Promise.all(
        clients.map(async (step) => {
          while (performance.now() - startMs < soakMs) {
            await step()
            if (warm === undefined && performance.now() - startMs > warmMs) warm = use()
          }
        }),
      )
      const after = use()
      console.error(`soak: ${JSON.stringify({ warm, after, ...Object.fromEntries([...counts].sort()) })}`)
      const unexpected = [...counts.keys()].filter((outcome) => !/ 20[014]$/.test(outcome))
      expect(unexpected).toEqual([])
      expect(counts.size).toBeGreaterThan(10)
      expect(after.descriptors).toBeLessThan((warm?.descriptors ?? 0) + 20)
      expect(after.megabytes).toBeLessThan((warm?.megabytes ?? 0) + 64)
      expect(await server.stop()).toBe(0)
      expect((await server.errors).split('\n').filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([])
      const backup = JSON.parse((await workspace.run('backup', 'create', '--json')).out) as { file: string }
      expect(await workspace.run('backup', 'verify', backup.file)).toMatchObject({ code: 0 })
    } finally {
      await workspace.close()
    }
  },
  soakMs + 60_000,
)
