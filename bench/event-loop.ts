/**
 * Measures for how long the executable's event loop is blocked, with a million animals. A probe sends a request for
 * /healthz every few milliseconds while other requests cause work that may take long. The slowest response of the probe is
 * the result; the phase without load shows the noise of the machine.
 *
 *     bun bench/event-loop.ts [ANIMALS] [--record]
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, petstore, report, start } from './measure.ts'

const animals = Number(process.argv[2]) || 1_000_000
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const file = join(folder, 'animals.csv')
const results: string[][] = []

writeAnimals()
const server = await start([executable, 'serve', '--json', '--port', '0'], folder)
const { url } = JSON.parse(server.line) as { url: string }
const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000']
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'bench', ...plan)) as { key: string }
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
const get = (path: string) => fetch(`${url}/v1${path}`, { headers }).then((response) => response.text())

await phase('no load', 3_000)
const importing = Bun.spawn([executable, 'pets', 'import', file], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
const isImported = async () => (await get('/store/inventory')).includes('"available":0') === false
await phase('an import of all animals', async () => {
  while (!(await isImported())) await Bun.sleep(5)
})
importing.kill('SIGKILL')
await importing.exited
await phase('searches, nothing indexed (import killed after its commit)', 10_000, searchAll)
await phase('counts, categories and lists, index being built', 5_000, countAll)
await phase('POSTs with Idempotency-Key, index being built', 5_000, () => post(32))
await waitForIndex()
await phase('searches, all indexed', 5_000, searchAll)
await phase('counts, categories and lists', 5_000, countAll)
await phase('PATCHes', 5_000, patch)
await phase('POSTs with Idempotency-Key', 5_000, () => post(32))
await phase('backup create', async () => void (await petstore(folder, 'backup', 'create')))
await phase('undoing an import of a hundred thousand', async () => {
  const { id } = (await petstore(folder, 'pets', 'import', part())) as { id: number }
  await petstore(folder, 'pets', 'import', '--undo', String(id))
})
await server.stop()
rmSync(folder, { recursive: true })
report(
  `Response time of /healthz beside other work, ${animals.toLocaleString('en')} animals`,
  ['beside', 'probes', 'p50', 'p99', 'p99.9', 'max', 'over 20 ms'],
  results,
)

function writeAnimals(): void {
  const names = ['Honeysuckle', 'Lucky', 'Missy', 'Olli', 'Zell', 'Chuy’s', 'KIT KAT', 'Bella', 'Flint', 'Ash']
  const rows = Array.from({ length: animals }, (_, i) => `${names[i % 10]} ${i % 1_000},${1 + ((i * 7) % 5_000)}\n`)
  writeFileSync(file, `name,categoryId\n${rows.join('')}`)
}

function part(): string {
  const path = join(folder, 'part.csv')
  writeFileSync(path, `name,categoryId\n${'Temporary,7\n'.repeat(100_000)}`)
  return path
}

async function searchAll(): Promise<void> {
  const texts = ['xylophone', 'zzz', '999', 'é', 'a', 'honeysuckle 99', 'elk']
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
  const id = 1 + Math.floor(Math.random() * animals)
  const body = JSON.stringify({ name: `Renamed ${Math.random()}` })
  const type = { 'Content-Type': 'application/merge-patch+json' }
  await fetch(`${url}/v1/pets/${id}`, { method: 'PATCH', headers: { ...headers, ...type }, body }).then((r) => r.text())
}

/** Once every animal is indexed, a search without a match has no `Link` to a further page. */
async function waitForIndex(): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/pets?q=xylophone${Math.random()}`, { headers })
    await response.text()
    if (!response.headers.has('link')) return
    await Bun.sleep(250)
  }
}

/** Probes while `load` is repeated for `work` milliseconds, or until `work` is done. */
async function phase(name: string, work: number | (() => Promise<void>), load?: () => Promise<void>): Promise<void> {
  const times: number[] = []
  let isOver = false
  const probing = (async () => {
    while (!isOver) {
      const startMs = performance.now()
      await fetch(`${url}/healthz`).then((response) => response.text())
      times.push(performance.now() - startMs)
      await Bun.sleep(2)
    }
  })()
  if (typeof work === 'function') await work()
  else {
    const endMs = performance.now() + work
    while (performance.now() < endMs) await (load ? load() : Bun.sleep(20))
  }
  isOver = true
  await probing
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1)} ms`
  const over = times.filter((ms) => ms > 20).length
  results.push([name, String(times.length), at(0.5), at(0.99), at(0.999), at(1), String(over)])
  console.error(results.at(-1)?.join(' | '))
}
