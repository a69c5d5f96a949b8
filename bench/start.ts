/**
 * Measures the time from the start of the executable until its first response to a list of animals, and its memory when
 * it is idle, with a million animals.
 *
 *     bun bench/start.ts [ANIMALS] [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  executable,
  importRows,
  makeStore,
  medianWithRange,
  petstore,
  report,
  residentMiB,
  start,
  wholeNumber,
} from './measure.ts'

const animals = Number(process.argv[2]) || 1_000_000
const starts = 10
const idleMs = 3_000
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const rows = Array.from({ length: animals }, (_, i) => `Animal ${i % 5_000},${1 + (i % 50)}\n`)
await importRows(folder, rows)
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench')) as { key: string }
const times: number[] = []
const memory: number[] = []
for (let run = 0; run <= starts; run++) {
  const startedMs = performance.now()
  const server = await start([executable, 'serve', '--json', '--port', '0'], folder)
  const { url } = JSON.parse(server.line) as { url: string }
  const response = await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })
  await response.text()
  const ms = performance.now() - startedMs
  if (!response.ok) throw new Error(`The first response is ${response.status}`)
  if (run === starts) {
    await Bun.sleep(idleMs)
    memory.push(residentMiB(server.pid))
  }
  await server.stop()
  // The first start reads the executable from the disk.
  if (run > 0) times.push(ms)
}
rmSync(folder, { recursive: true })
report(
  `Start and idle memory, ${wholeNumber(animals)} animals`,
  ['from exec to the first 200, ms', 'idle memory'],
  [[medianWithRange(times, 0), `${(memory[0] ?? 0).toFixed(0)} MiB`]],
)
