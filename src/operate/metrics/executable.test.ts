/** `/metrics` and the probes of the compiled executable. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, isBuilt, startPetstoreProcess } from '../../testing/executable.ts'
import { eventually } from '../../testing/per-test/server.ts'
import { sendRaw } from '../../testing/send-raw.ts'

const promtool = Bun.which('promtool')
if (!promtool) console.error('SKIPPED: checking metrics needs promtool, from the package prometheus.')

let folder: ReturnType<typeof emptyFolder>
let cleanups: (() => Promise<void>)[]

beforeEach(() => {
  folder = emptyFolder()
  cleanups = []
})
afterEach(async () => {
  for (const cleanup of cleanups) await cleanup()
  folder.remove()
})

async function serve(...args: string[]) {
  const server = await startPetstoreProcess(args, { cwd: folder.path })
  cleanups.push(() => server.kill())
  const { url, port, key = '' } = server.ready
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } })
  return { ...server, url, port, key, send }
}

describe.skipIf(!isBuilt)('petstore serve', () => {
  test.skipIf(!promtool)('has metrics without a finding of promtool', async () => {
    const { send } = await serve()
    await send('/v1/pets')
    await send('/v1/pets', { method: 'POST', body: '{' })
    await send('/v1/nowhere', { headers: { Authorization: '' } })
    await send('/metrics')
    const body = await (await send('/metrics')).text()
    const check = Bun.spawn([promtool ?? '', 'check', 'metrics'], {
      stdin: new Blob([body]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([
      new Response(check.stdout).text(),
      new Response(check.stderr).text(),
      check.exited,
    ])
    expect([out, err, code]).toEqual(['', '', 0])
  })

  test('has metrics of its memory, its processor time and the sizes of its files', async () => {
    const { send } = await serve()
    await send('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Ada","categoryId":1}',
    })
    const text = await (await send('/metrics')).text()
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value('petstore_uptime_seconds')).toBeGreaterThan(0)
    expect(Math.abs(value('process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(60)
    expect(value('petstore_database_size_bytes')).toBeGreaterThanOrEqual(4096)
    expect(value('petstore_database_wal_size_bytes')).toBeGreaterThan(4096)
  })

  test('has metrics while its database is gone, which show the fault', async () => {
    const { send } = await serve()
    await send('/metrics')
    renameSync(join(folder.path, 'data/production.db'), join(folder.path, 'elsewhere'))
    const fault = async () => (await (await send('/metrics')).text()).includes('storage_fault{fault="file_gone"} 1\n')
    expect(await eventually(fault)).toBe(true)
    const response = await send('/metrics')
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).not.toMatch(/^petstore_database_size_bytes/m)
    expect(text).toMatch(/^petstore_database_wal_size_bytes \d/m)
  })

  test('sends exactly one Date with every response, also to HEAD', async () => {
    const { port, key } = await serve()
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['/healthz', '/readyz', '/metrics', '/v1/pets', '/v1/nowhere', '/docs', '/nowhere', '/']) {
        const response = await sendRaw(
          port,
          `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
        )
        expect([method, path, response.match(/^date: .{29}\r$/gim)?.length]).toEqual([method, path, 1])
      }
    }
  })

  test('reads the path correctly with an empty Host and `://` in the query', async () => {
    const { port } = await serve()
    const target = '/v1/pets?q=a://b/healthz'
    const response = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n`)
    expect(response).toStartWith('HTTP/1.1 401 ')
  })
})
