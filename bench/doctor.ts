/**
 * Measures `petstore status` and `petstore doctor` beside a server and without one, with a million animals, and how
 * long requests take while the server is examined.
 *
 *     bun bench/doctor.ts [ANIMALS] [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, importRows, makeStore, medianWithRange, petstore, report, start, wholeNumber } from './measure.ts'

const animals = Number(process.argv[2]) || 1_000_000
const runs = 5
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const rows = Array.from({ length: animals }, (_, i) => `Animal ${i % 5_000},${1 + (i % 50)}\n`)
await importRows(folder, rows)
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench', '--plan', 'business')) as { key: string }

/** The times of a command in milliseconds. */
async function timesOf(...args: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now()
    const child = Bun.spawn([executable, ...args], { cwd: folder, stdout: 'ignore', stderr: 'inherit' })
    // 1 if another program has the port of a start.
    if ((await child.exited) > 1) throw new Error(`petstore ${args.join(' ')} failed`)
    times.push(performance.now() - startedMs)
  }
  return times
}

/** The times of requests, one after the other, until `end`. */
async function requestTimes(url: string, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  void end.then(() => {
    isOver = true
  })
  while (!isOver) {
    const startedMs = performance.now()
    await (await fetch(`${url}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).text()
    times.push(performance.now() - startedMs)
    // The limits of the key count every request.
    await Bun.sleep(20)
  }
  return times.sort((a, b) => a - b)
}

const commands = ['status', 'doctor']
const without: string[] = []
for (const command of commands) without.push(medianWithRange(await timesOf(command), 0))
const server = await start([executable, 'serve', '--json', '--port', '0'], folder)
const { url } = JSON.parse(server.line) as { url: string }
const beside: string[] = []
for (const command of commands) beside.push(medianWithRange(await timesOf(command), 0))
const quiet = await requestTimes(url, Bun.sleep(2_000))
const busy = await requestTimes(url, timesOf('doctor'))
await server.stop()
rmSync(folder, { recursive: true })

const p99 = (times: readonly number[]) => (times[Math.floor(times.length * 0.99)] ?? 0).toFixed(1)
report(
  `Status and examination, ${wholeNumber(animals)} animals`,
  ['', 'without a server, ms', 'beside a server, ms'],
  commands.map((command, i) => [`petstore ${command}`, without[i] ?? '', beside[i] ?? '']),
)
console.log(`GET /v1/pets: p99 ${p99(quiet)} ms, and ${p99(busy)} ms while the store is examined`)
