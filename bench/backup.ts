/**
 * Measures the response times of POST /v1/pets beside backups of the schedule, 100 requests a second, and how much disk
 * a further backup needs. The store has ANIMALS animals and 90 MB of sites. The backups run as the service runs them,
 * one after the other.
 *
 *     bun bench/backup.ts [ANIMALS] [--record]
 */

import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildZip } from '../src/hosting/deploys/testing/zip.ts'
import { giveWay } from '../src/lib/subprocess.ts'
import { executable, importRows, makeStore, median, petstore, report, start } from './measure.ts'

const animals = Number(process.argv[2]) || 100_000
const everyMs = 10
const phaseMs = 6_000
const rounds = 9
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const data = join(folder, 'data')

const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9', '--public-host', '127.0.0.1']
const ports = ['--port', '0', '--http-port', '0', '--https-port', 'off', '--trusted-proxy', '127.0.0.1']
const server = await start([executable, 'serve', '--json', '--backup-at', 'off', ...hosting, ...ports], folder)
const { url } = JSON.parse(server.line) as { url: string }
const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000', '--scope', 'admin']
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'bench', ...plan)) as { key: string }
await importRows(
  folder,
  Array.from({ length: animals }, (_, i) => `Rex ${i},7\n`),
)
await call('/projects', '{"name":"Shop"}')
const pages = Array.from({ length: 1_800 }, (_, i) => ({
  name: `photo-${i}.jpg`,
  content: crypto.getRandomValues(Buffer.alloc(50_000)),
}))
await call('/projects/1/deploys', new Blob([buildZip(pages) as Uint8Array<ArrayBuffer>]), 'application/zip')

const phases = { alone: [] as number[][], beside: [] as number[][] }
let backups = 0
const backupMs: number[] = []
for (let round = 0; round < rounds; round++) {
  phases.alone.push(await post(() => Bun.sleep(phaseMs)))
  phases.beside.push(
    await post(async () => {
      for (const end = performance.now() + phaseMs; performance.now() < end; ) {
        const begin = performance.now()
        await backUp(++backups)
        backupMs.push(performance.now() - begin)
      }
    }),
  )
}
const before = usedBytes()
const file = await backUp(++backups)
const grown = usedBytes() - before
const databaseBytes = statSync(file).size
await server.stop()
const rows = Object.entries(phases).map(([name, times]) => [
  name === 'alone' ? 'no backup' : 'backups, one after the other',
  ...[0.5, 0.99, 1].map((share) => `${medianOf(times.map((one) => quantile(one, share)))} ms`),
])
report(
  `Response time of POST /v1/pets beside backups, ${animals.toLocaleString('en')} animals`,
  ['', 'p50', 'p99', 'max'],
  rows,
)
report(
  'A further backup of a store with 90 MB of sites',
  ['what', 'value'],
  [
    ['time', `${medianOf(backupMs)} ms`],
    ['size of its file', megabytes(databaseBytes)],
    ['disk that it needs', megabytes(grown)],
  ],
)
rmSync(folder, { recursive: true })

async function call(path: string, body: BodyInit, type = 'application/json'): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
  const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path} failed with ${response.status}: ${text}`)
}

/**
 * The response times in milliseconds of one request every 10 ms until `work` is done, whether or not those before have
 * their responses.
 */
async function post(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const sent: Promise<void>[] = []
  let isOver = false
  const sending = (async () => {
    for (let next = performance.now(); !isOver; next += everyMs) {
      await Bun.sleep(Math.max(0, next - performance.now()))
      const begin = performance.now()
      sent.push(call('/pets', '{"name":"New","categoryId":7}').then(() => void times.push(performance.now() - begin)))
    }
  })()
  await work()
  isOver = true
  await sending
  await Promise.all(sent)
  return times
}

/** Makes the backup of a day as the service does, in a process of its own; returns its path. */
async function backUp(number: number): Promise<string> {
  const task = {
    databasePath: join(data, 'production.db'),
    environment: 'production',
    keep: { days: 999, weeks: 0, months: 0 },
    nowMs: Date.now() + number * 86_400_000,
  }
  const child = Bun.spawn([executable, 'task', 'scheduled-backup'], { stdin: new Blob([JSON.stringify(task)]) })
  giveWay(child.pid)
  const { result } = JSON.parse(await new Response(child.stdout).text()) as { result: { file: string } }
  return result.file
}

/** The bytes of the data directory, each file once, without the log. */
function usedBytes(): number {
  const seen = new Set<number>()
  const entries = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.reduce((sum, { parentPath, name }) => {
    const { ino, size } = lstatSync(join(parentPath, name))
    if (seen.has(ino) || name.endsWith('-wal')) return sum
    seen.add(ino)
    return sum + size
  }, 0)
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function medianOf(values: readonly number[]): string {
  return median(values).toFixed(1)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
