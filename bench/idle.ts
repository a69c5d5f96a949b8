/**
 * Measures the processor time and the wake-ups of servers that receive no requests: petstore, a bare `Bun.serve` and,
 * if it is built, PocketBase. Linux only.
 *
 *     bun bench/idle.ts [ANOTHER-EXECUTABLE] [--record]
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { executable, medianWithRange, report, residentMiB, root, start } from './measure.ts'
import { startPocketBase } from './peers/start.ts'

/** Until the work of the start is done, its garbage collection included. */
const settleMs = 30_000
const windowMs = 10_000
const windows = 3

const other = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const hosting = [
  ...['--platform-domain', 'shops.test', '--public-host', '127.0.0.1', '--http-port', '0', '--https-port', '0'],
  ...[
    '--public-address',
    '127.0.0.1',
    '--allow-private-addresses',
    '--acme-directory',
    'https://127.0.0.1:1/directory',
  ],
]
const anything = '{"status":200,"headers":{},"body":""}'

interface Idle {
  readonly name: string
  readonly pid: number
  stop(): Promise<void>
}

const launch = async (name: string, command: readonly string[]): Promise<Idle> => ({
  name,
  ...(await start(command, folder)),
})

async function launchPetstore(name: string, binary: string): Promise<Idle[]> {
  // Each executable fills its own: an older one can't open the store of a newer one.
  const demo = join(folder, `${name}, demo`)
  await Bun.$`${binary} demo --data ${demo}`.quiet()
  const kinds = { 'empty store': [], 'demo store': [], 'demo store, hosting': hosting }
  return Promise.all(
    Object.entries(kinds).map(([kind, options], i) => {
      const data = join(folder, `${name}-${i}`)
      if (i > 0) cpSync(demo, data, { recursive: true })
      return launch(`${name}, ${kind}`, [binary, 'serve', '--json', '--port', '0', '--data', data, ...options])
    }),
  )
}

type Threads = ReadonlyMap<string, { readonly processorMs: number; readonly sleeps: number }>

/** The processor time of each thread of a process, and how often it has gone to sleep. */
function threadsOf(pid: number): Threads {
  const tasks = `/proc/${pid}/task`
  return new Map(
    readdirSync(tasks).map((task) => {
      const processorMs = Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      const status = readFileSync(`${tasks}/${task}/status`, 'utf8')
      return [task, { processorMs, sleeps: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]) }]
    }),
  )
}

/** The sums over the threads that a process has now. */
function usedBetween(before: Threads, now: Threads): { processorMs: number; sleeps: number } {
  const sum = { processorMs: 0, sleeps: 0 }
  for (const [task, { processorMs, sleeps }] of now) {
    sum.processorMs += processorMs - (before.get(task)?.processorMs ?? 0)
    sum.sleeps += sleeps - (before.get(task)?.sleeps ?? 0)
  }
  return sum
}

const pocketBase = await startPocketBase(folder, 22_810)
// All at the same time: none of them uses enough to disturb another.
const servers: Idle[] = [
  ...(other === undefined ? [] : await launchPetstore('the other executable', resolve(other))),
  ...(await launchPetstore('petstore', executable)),
  await launch('bare Bun.serve', [process.execPath, join(root, 'bench/raw.ts'), anything, anything]),
  ...(pocketBase ? [pocketBase] : []),
]
const measured = servers.map((server) => ({ ...server, percents: [] as number[], sleeps: [] as number[] }))
await Bun.sleep(settleMs)
for (let window = 0; window < windows; window++) {
  const before = measured.map(({ pid }) => ({ atMs: performance.now(), threads: threadsOf(pid) }))
  await Bun.sleep(windowMs)
  for (const [i, { pid, percents, sleeps }] of measured.entries()) {
    const { atMs, threads } = before[i] as (typeof before)[number]
    const used = usedBetween(threads, threadsOf(pid))
    const ms = performance.now() - atMs
    percents.push((used.processorMs / ms) * 100)
    sleeps.push((used.sleeps / ms) * 1_000)
  }
}
const rows = measured.map(({ name, pid, percents, sleeps }) => [
  name,
  medianWithRange(percents, 3),
  medianWithRange(sleeps, 1),
  `${residentMiB(pid).toFixed(0)} MiB`,
])
await Promise.all(servers.map((server) => server.stop()))
rmSync(folder, { recursive: true })
report('Idle servers', ['server', 'percent of a processor', 'wake-ups/s', 'memory'], rows)
