/**
 * Measures for how long the executable's event loop is blocked, with a million animals. Another process sends a request
 * for /healthz 200 times a second while other requests cause work that may take long. The slowest response is the
 * result; the phase without load shows the noise of the machine. Two further pairs of columns show what the machine
 * adds: "on a processor" leaves out the time in which the server or the probe was ready and waited for a processor;
 * "server ran" is for how long the server's main thread computed meanwhile. The rest it waited, for the disk above all.
 *
 *     bun bench/event-loop.ts [ANIMALS] [--record]
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, importRows, makeStore, petstore, report, root, start } from './measure.ts'

const animals = Number(process.argv[2]) || 1_000_000
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const results: string[][] = []

const server = await start([executable, 'serve', '--json', '--port', '0'], folder)
const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000', '--scope', 'admin']
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'bench', ...plan)) as { key: string }
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
const get = (path: string) => fetch(`${url}/v1${path}`, { headers }).then((response) => response.text())

await phase('no load', 3_000)
await phase('imports of all animals', () => importRows(folder, animalRows()))
await phase('searches', 5_000, searchAll)
await phase('counts, categories and lists', 5_000, countAll)
await phase('PATCHes', 5_000, patch)
await phase('DELETEs', 5_000, remove)
await phase('orders, placed and cancelled', 5_000, order)
await phase('POSTs with Idempotency-Key', 5_000, () => post(32))
await phase('deleting 100,000 old stored responses', sweep)
await phase('pets export', async () => {
  const exporting = Bun.spawn([executable, 'pets', 'export'], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
  await exporting.exited
})
await phase('backup create', async () => void (await petstore(folder, 'backup', 'create')))
await phase('undoing an import of a hundred thousand', async () => {
  const { id } = (await petstore(folder, 'pets', 'import', part(100_000))) as { id: number }
  await petstore(folder, 'pets', 'import', '--undo', String(id))
})
await server.stop()
rmSync(folder, { recursive: true })
report(
  `Response time of /healthz beside other work, ${animals.toLocaleString('en')} animals`,
  ['beside', 'probes', 'p99', 'max', 'p99 on a processor', 'max on a processor', 'p99 server ran', 'max server ran'],
  results,
)

function animalRows(): string[] {
  const names = ['Honeysuckle', 'Lucky', 'Missy', 'Olli', 'Zell', 'Chuy’s', 'KIT KAT', 'Bella', 'Flint', 'Ash']
  return Array.from({ length: animals }, (_, i) => `${names[i % 10]} ${i % 1_000},${1 + ((i * 7) % 5_000)}\n`)
}

function part(rows: number): string {
  const path = join(folder, 'part.csv')
  writeFileSync(path, `name,categoryId\n${'Temporary,7\n'.repeat(rows)}`)
  return path
}

async function searchAll(): Promise<void> {
  const texts = ['xylophone', 'zzz', '999', 'é', 'a', 'honeysuckle 99', 'elk', 'qz']
  for (const q of texts) {
    for (const order of ['asc', 'desc']) await get(`/pets?q=${encodeURIComponent(q)}&order=${order}&limit=100`)
  }
}

async function countAll(): Promise<void> {
  await get('/store/inventory')
  await get('/categories?limit=100')
  await get(`/categories/${1 + Math.floor(Math.random() * 5_000)}`)
  await get('/pets?limit=100&status=sold&categoryId=7')
}

async function post(atOnce: number): Promise<void> {
  const body = JSON.stringify({ name: `New ${Math.random()}`, categoryId: 7 })
  const send = () =>
    fetch(`${url}/v1/pets`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
      body,
    }).then((response) => response.text())
  await Promise.all(Array.from({ length: atOnce }, send))
}

async function patch(): Promise<void> {
  const id = randomId()
  const body = JSON.stringify({ name: `Renamed ${Math.random()}` })
  const type = { 'Content-Type': 'application/merge-patch+json' }
  await fetch(`${url}/v1/pets/${id}`, { method: 'PATCH', headers: { ...headers, ...type }, body }).then((r) => r.text())
}

function randomId(): number {
  return 1 + Math.floor(Math.random() * animals)
}

async function remove(): Promise<void> {
  await fetch(`${url}/v1/pets/${randomId()}`, { method: 'DELETE', headers }).then((response) => response.text())
}

async function order(): Promise<void> {
  const body = JSON.stringify({ petId: randomId() })
  const placed = await fetch(`${url}/v1/store/orders`, { method: 'POST', headers, body })
  const { id } = (await placed.json()) as { id?: number }
  if (id) await fetch(`${url}/v1/store/orders/${id}/cancel`, { method: 'POST', headers }).then((r) => r.text())
}

/** Puts responses of the day before yesterday into the store and waits until the server has deleted them. */
async function sweep(): Promise<void> {
  const connection = new Database(join(folder, 'data/production.db'))
  connection.run('PRAGMA busy_timeout = 10000')
  const old = Date.now() - 2 * 86_400_000
  connection.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO idempotent_answers SELECT 1, 'old ' || i, zeroblob(32), 201, ?1, '"tag"', '/v1/pets/1', ?2 + i FROM n`,
    [JSON.stringify({ id: 1, name: 'Honeysuckle', categoryId: 2, status: 'available' }), old],
  )
  const left = connection.query('SELECT 1 FROM idempotent_answers WHERE created_at < ?1 LIMIT 1')
  while (left.get(old + 100_001)) await Bun.sleep(100)
  connection.close()
}

/** Probes while `load` is repeated for `work` milliseconds, or until `work` is done. */
async function phase(name: string, work: number | (() => Promise<void>), load?: () => Promise<void>): Promise<void> {
  const command = [process.execPath, join(root, 'bench/probe.ts'), url, String(pid)]
  const probe = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  if (typeof work === 'function') await work()
  else {
    const endMs = performance.now() + work
    while (performance.now() < endMs) await (load ? load() : Bun.sleep(20))
  }
  probe.stdin.end()
  const times = (await new Response(probe.stdout).json()) as [wallMs: number, ownMs: number, ranMs: number][]
  const [wall, own, ran] = [0, 1, 2].map((column) => summary(times.map((time) => time[column] ?? 0)))
  const slow = times.filter(([, ownMs]) => ownMs > 20).map((time) => time.map(Math.round).join('/'))
  if (slow.length > 0) console.error(`over 20 ms, as seen/without waiting/server ran: ${slow.join(' ')}`)
  results.push([name, String(times.length), ...[wall, own, ran].flatMap((one) => [one?.p99 ?? '', one?.max ?? ''])])
  console.error(results.at(-1)?.join(' | '))
}

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)} ms`
  return { p99: at(0.99), max: at(1) }
}
