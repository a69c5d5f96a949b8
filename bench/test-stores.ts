/**
 * Measures the stores of test suites: how long one takes to start, in the process of the tests and as the executable,
 * and what a thousand of them leave behind.
 *
 *     scripts/pack.sh && bun bench/test-stores.ts [--record]
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, report, residentMiB, root, start, wholeNumber } from './measure.ts'

const cycles = 1_000
const executableStarts = 50
const archive = join(root, 'dist/petstore-appliance.tgz')
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const ms = (value: number) => `${value.toFixed(1)} ms`

/** The median and the 99th percentile. */
function percentiles(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return `${at(0.5)} and ${at(0.99)}`
}

await Bun.write(join(folder, 'package.json'), '{}')
const added = Bun.spawnSync(['bun', 'add', archive], { cwd: folder, stderr: 'pipe' })
if (added.exitCode !== 0) throw new Error(added.stderr.toString())
const { startPetstore } = await import(join(folder, 'node_modules/petstore-appliance/testing.js'))

const descriptors = () => readdirSync('/proc/self/fd').length
const starts: number[] = []
const stops: number[] = []
let before = { memory: 0, descriptors: 0 }
for (let cycle = 0; cycle < cycles + 100; cycle++) {
  // The first ones load and compile the code.
  if (cycle === 100) before = { memory: residentMiB(process.pid), descriptors: descriptors() }
  const startedMs = performance.now()
  const store = await startPetstore()
  const readyMs = performance.now()
  const response = await fetch(`${store.url}/v1/pets`, { headers: { Authorization: `Bearer ${store.key}` } })
  await response.text()
  const usedMs = performance.now()
  await store.stop()
  if (cycle < 100) continue
  starts.push(readyMs - startedMs)
  stops.push(performance.now() - usedMs)
}
Bun.gc(true)
const left = { memory: residentMiB(process.pid) - before.memory, descriptors: descriptors() - before.descriptors }

const processStarts: number[] = []
for (let i = 0; i < executableStarts; i++) {
  const startedMs = performance.now()
  const server = await start([executable, 'serve', '--ephemeral', '--port', '0', '--json'], folder)
  processStarts.push(performance.now() - startedMs)
  await server.stop()
}
rmSync(folder, { recursive: true })

report(
  'Stores for test suites',
  ['what', 'value'],
  [
    [`start of \`startPetstore()\`, p50 and p99 of ${wholeNumber(cycles)}`, percentiles(starts)],
    ['`stop()` after a request, p50 and p99', percentiles(stops)],
    [`start of \`serve --ephemeral\` until its line, p50 and p99 of ${executableStarts}`, percentiles(processStarts)],
    [`file descriptors that ${wholeNumber(cycles)} stores leave in the process`, String(left.descriptors)],
    [`memory that ${wholeNumber(cycles)} stores leave in the process`, `${left.memory.toFixed(0)} MiB`],
    ['size of the package', `${wholeNumber(statSync(archive).size / 1_000)} kB`],
  ],
)
