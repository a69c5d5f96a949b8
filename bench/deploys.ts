/**
 * Measures for how long the executable's event loop is blocked by deploys of 20,000 files, the most that one may have.
 * The columns are those of event-loop.ts.
 *
 *     bun bench/deploys.ts [FILES] [--record]
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildZip } from '../src/hosting/deploys/testing/zip.ts'
import { executable, makeStore, petstore, report, root, start } from './measure.ts'

const files = Number(process.argv[2]) || 20_000
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const results: string[][] = []

const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9', '--public-host', '127.0.0.1']
const ports = ['--port', '0', '--http-port', '0', '--https-port', 'off', '--trusted-proxy', '127.0.0.1']
const server = await start([executable, 'serve', '--json', ...hosting, ...ports], folder)
const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000']
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'bench', ...plan)) as { key: string }
const database = new Database(join(folder, 'data/production.db'), { readonly: true })
database.run('PRAGMA busy_timeout = 10000')
await call('POST', '/projects', '{"name":"Shop"}')

await phase('no load', () => Bun.sleep(3_000))
await phase('the first deploy', () => deploy(1))
await phase('compressing its files', () => until('SELECT count(*) AS n FROM deploys WHERE compressed_at IS NULL'))
await phase('a deploy with the same files', () => deploy(1))
await phase('a deploy with other files', () => deploy(2))
await phase('rolling back', () => call('POST', '/projects/1/deploys/1/promote'))
await phase('requests, nothing else', async () => {
  for (let i = 0; i < 2_000; i++) {
    await fetch(`${url}/healthz`).then((response) => response.text())
  }
})
await phase('deleting the project with three deploys', async () => {
  await call('DELETE', '/projects/1')
  await until('SELECT count(*) AS n FROM deploys')
})
await server.stop()
rmSync(folder, { recursive: true })
report(
  `Response time of /healthz beside deploys of ${files.toLocaleString('en')} files`,
  ['beside', 'probes', 'p99', 'max', 'p99 on a processor', 'max on a processor', 'p99 server ran', 'max server ran'],
  results,
)

async function call(method: string, path: string, body?: BodyInit, type = 'application/json'): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'Content-Type': type }) }
  const response = await fetch(`${url}/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status}: ${text}`)
}

/** A page of about a kilobyte, different for each version. */
function page(version: number, i: number): string {
  return `<!doctype html><title>Page ${i} of version ${version}</title><p>${'Cats and dogs. '.repeat(60)}${i * version}</p>`
}

async function deploy(version: number): Promise<void> {
  const entries = Array.from({ length: files }, (_, i) => ({
    name: `pages/${i % 100}/page-${i}.html`,
    content: page(version, i),
  }))
  await call('POST', '/projects/1/deploys', new Blob([buildZip(entries) as Uint8Array<ArrayBuffer>]), 'application/zip')
}

/** Waits until a query returns 0. */
async function until(query: string): Promise<void> {
  const count = database.query<{ n: number }, []>(query)
  while ((count.get()?.n ?? 0) > 0) await Bun.sleep(100)
}

async function phase(name: string, work: () => Promise<unknown>): Promise<void> {
  const probe = Bun.spawn([process.execPath, join(root, 'bench/probe.ts'), url, String(pid)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await Bun.sleep(500)
  const startedMs = performance.now()
  await work()
  const seconds = (performance.now() - startedMs) / 1_000
  probe.stdin.end()
  const times = (await new Response(probe.stdout).json()) as [wallMs: number, ownMs: number, ranMs: number][]
  const columns = [0, 1, 2].flatMap((column) => summary(times.map((time) => time[column] ?? 0)))
  results.push([`${name} (${seconds.toFixed(1)} s)`, String(times.length), ...columns])
  console.error(results.at(-1)?.join(' | '))
}

function summary(values: readonly number[]): [p99: string, max: string] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)} ms`
  return [at(0.99), at(1)]
}
