/**
 * Measures for how long reads wait while eight clients write to a slow disk: strace delays each flush of the server.
 * The reads are sent at a fixed rate, so that each of them can meet a flush.
 *
 *     bun bench/slow-disk.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { executable, makeStore, petstore, report, start, wholeNumber, wrkRate } from './measure.ts'

const delaysMs = [0, 20, 500]
const seconds = 6
const everyMs = 5
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
makeStore(folder)
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench', ...unlimited)) as { key: string }
const headers = { Authorization: `Bearer ${key}` }
const rows: string[][] = []
for (const delayMs of delaysMs) rows.push(await measure(delayMs))
rmSync(folder, { recursive: true })
report(
  'GET while 8 clients POST, each flush delayed',
  ['delay of a flush', 'GETs', 'p50', 'p99', 'max', 'POSTs/s', 'p99 of POST'],
  rows,
)

async function measure(delayMs: number): Promise<string[]> {
  const calls = 'fsync,fdatasync'
  const slow = ['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`]
  const inject = ['-e', `inject=${calls}:delay_exit=${delayMs * 1_000}`]
  const command = [executable, 'serve', '--json', '--port', '0']
  const server = await start(delayMs === 0 ? command : [...slow, ...inject, ...command], folder)
  const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
  const writing = wrkRate({
    url: `${url}/v1/pets`,
    connections: 8,
    seconds,
    headers,
    script: resolve(import.meta.dir, 'post.lua'),
  })
  const times: number[] = []
  const pending: Promise<void>[] = []
  const endMs = performance.now() + seconds * 1_000 - 200
  for (let dueMs = performance.now(); dueMs < endMs; dueMs += everyMs) {
    await Bun.sleep(Math.max(0, dueMs - performance.now()))
    pending.push(read(url, dueMs, times))
  }
  await Promise.all(pending)
  const written = await writing
  // strace ends with the process that it traces.
  process.kill(pid, 'SIGTERM')
  await server.exited
  times.sort((a, b) => a - b)
  const at = (share: number) => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)} ms`
  const own = [at(0.5), at(0.99), at(1), wholeNumber(written.perSecond), `${written.p99Ms.toFixed(1)} ms`]
  return [`${delayMs} ms`, wholeNumber(times.length), ...own]
}

/**
 * Counts from the time at which the request was due, so that a late start does not hide a delay. A timer can be early,
 * too.
 */
async function read(url: string, dueMs: number, times: number[]): Promise<void> {
  const fromMs = Math.min(dueMs, performance.now())
  await fetch(`${url}/v1/pets?limit=20`, { headers }).then((response) => response.text())
  times.push(performance.now() - fromMs)
}
