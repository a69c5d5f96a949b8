/**
 * Sends a request for /healthz, or for PATH with an API key, 200 times a second until standard input ends. Prints for
 * each how long it took, how long without the time in which threads of both processes waited for a processor, and how
 * long the server's main thread ran meanwhile. Run by event-loop.ts and domain-checks.ts.
 *
 *     bun bench/probe.ts URL PID [PATH KEY]
 */

import { readdirSync, readFileSync } from 'node:fs'

const [, , url = '', pid = '', path = '/healthz', key] = process.argv
const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
const everyMs = 5
const times: [wallMs: number, ownMs: number, ranMs: number][] = []
let isOver = false

// The first request starts the thread that sends them.
await fetch(url + path, { headers }).then((response) => response.text())
const folder = `/proc/${process.pid}/task`
const isUsed = (id: string) =>
  id === String(process.pid) || readFileSync(`${folder}/${id}/comm`, 'utf8') === 'HTTP Client\n'
const threads = readdirSync(folder).filter(isUsed)

/**
 * Milliseconds that a thread ran, and that it was ready and waited: https://docs.kernel.org/scheduler/sched-stats.html
 */
function schedule(process: string | number, thread = process) {
  const [ran, waited] = readFileSync(`/proc/${process}/task/${thread}/schedstat`, 'utf8').split(' ')
  return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 }
}

function schedules() {
  const server = schedule(pid)
  const waits = threads.map((id) => schedule(process.pid, id).waitedMs)
  return { ranMs: server.ranMs, waitedMs: waits.reduce((sum, ms) => sum + ms, server.waitedMs) }
}

const probing = (async () => {
  while (!isOver) {
    const before = schedules()
    const startMs = performance.now()
    await fetch(url + path, { headers }).then((response) => response.text())
    const wallMs = performance.now() - startMs
    const after = schedules()
    times.push([wallMs, Math.max(0, wallMs - (after.waitedMs - before.waitedMs)), after.ranMs - before.ranMs])
    await Bun.sleep(Math.max(0, everyMs - wallMs))
  }
})()
for await (const _ of Bun.stdin.stream());
isOver = true
await probing
console.log(JSON.stringify(times))
