/**
 * Measures how long GET /v1/pets takes while 50 accounts check their domains all the time, whose records are wrong. Phases
 * without and with checks take turns, so that the noise of both can be seen. A third kind of phase has other small changes
 * instead of checks, about as often as results of checks are stored: one of the accounts renames its project every 300 ms. It
 * shows how much of a difference any writing client makes. The phases of a run are in the order no load, checks, changes, changes,
 * checks, no load, so that no kind has a service that has run for longer; the requests of five seconds before them, in which the
 * code of GET is compiled, do not count.
 *
 * The DNS servers and the owners who request the checks are other machines in reality. Here they share the processors with
 * the service and with the client that is measured, and run only when these leave a processor idle (SCHED_IDLE where there is
 * `chrt`, else `nice`). The process that checks names has the priority that the service gives it. The DNS servers take
 * 20 ms for each response, so that checks overlap. They need port 53 of a loopback address, and the service port 80 of another.
 *
 *     bun bench/domain-checks.ts [RUNS] [--record]
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildZip } from '../src/deploys/testing/zip.ts'
import type { Owner } from './domain-owners.ts'
import { executable, median, medianWithRange, petstore, report, root, start, wholeNumber } from './measure.ts'

const accounts = 50
const domainsEach = 5
/** Each run has a service of its own, which has made no check before its first phase with checks. */
const runs = Number(process.argv[2]) || 4
/** Of a phase without checks. One with checks begins none in its last ten seconds, and ends with the last result. */
const seconds = 15
const address = '127.55.0.1'
const whenIdle = Bun.which('chrt') ? ['chrt', '--idle', '0'] : ['nice', '-n', '19']
const bun = (script: string, ...args: string[]) => ['bun', join(root, 'bench', script), ...args]
/** Between two changes of the phase with changes: results are stored every 200 to 400 ms. */
const changeEveryMs = 300
const idle = 'no load'
const changing = `a change every ${changeEveryMs} ms` as const
const checking = `${accounts} checks at a time` as const
const order = [idle, checking, changing, changing, checking, idle] as const
/** The requests before the first phase. */
const warmUpSeconds = 5
let checks = 0
const phases: Phase[] = []

for (let i = 0; i < runs; i++) await run()
report(
  `Response time of GET /v1/pets beside checks of domains (${checks} checks)`,
  ['beside', 'requests', 'p50', 'p99', 'max', 'p99 on a processor', 'p99 server ran'],
  [...phases.map(row), ...[idle, changing, checking].map(medians)],
)

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  const dns = await start([...whenIdle, ...bun('domain-servers.ts', address)], folder)
  const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', address, '--allow-private-addresses']
  // The address of the platform, to which the records of the domains do not lead.
  const ports = ['--port', '0', '--public-host', '127.9.9.9', '--https-port', 'off', '--trusted-proxy', '127.0.0.0/8']
  const server = await start([executable, 'serve', '--json', ...hosting, ...ports], folder)
  const service = { ...(JSON.parse(server.line) as { url: string; pid: number }), folder }
  await petstore(folder, 'demo')
  const owners: Owner[] = []
  for (let i = 0; i < accounts; i++) owners.push(await newOwner(service, i))
  leaveToOwners(folder)
  const key = owners[0]?.key ?? ''
  const workOf = {
    [idle]: () => Bun.sleep(seconds * 1_000),
    [changing]: () => runOwners(service, owners, 'change', seconds, changeEveryMs),
    [checking]: async () => {
      checks += await runOwners(service, owners, 'verify', seconds - 10)
    },
  }
  await phase('', service, key, () => Bun.sleep(warmUpSeconds * 1_000))
  for (const kind of order) phases.push(await phase(kind, service, key, workOf[kind]))
  await server.stop()
  await dns.stop()
  rmSync(folder, { recursive: true })
}

interface Service {
  readonly url: string
  readonly pid: number
  readonly folder: string
}

/** Response times in milliseconds. */
interface Phase {
  readonly name: string
  readonly requests: number
  /** p50, p99 and the longest as seen, p99 without waiting for a processor, p99 of the time that the server ran. */
  readonly timesMs: readonly number[]
}

function post(url: string, key: string, path: string, body: BodyInit, type = 'application/json') {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
  return fetch(`${url}/v1${path}`, { method: 'POST', headers, body })
}

/** An account with a project and its domains, whose records are wrong: a check of them looks for every reason. */
async function newOwner({ url, folder }: Service, i: number): Promise<Owner> {
  const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000']
  const { key } = (await petstore(folder, 'keys', 'create', '--name', `Owner ${i}`, ...plan)) as { key: string }
  const { id } = (await (await post(url, key, '/projects', JSON.stringify({ name: 'Shop' }))).json()) as {
    id: number
  }
  const archive = new Blob([buildZip([{ name: 'index.html', content: 'Shop' }]) as Uint8Array<ArrayBuffer>])
  await post(url, key, `/projects/${id}/deploys`, archive, 'application/zip')
  const hostnames = Array.from({ length: domainsEach }, (_, n) => `s${n}-${i}.kiosk.example`)
  for (const hostname of hostnames) {
    const { status } = await post(url, key, `/projects/${id}/domains`, JSON.stringify({ hostname }))
    if (status !== 201) throw new Error(`adding a domain failed with ${status}`)
  }
  return { key, project: id, hostnames }
}

/** The service checks no domain by itself before a minute after its first check, and thus none in a phase without checks. */
function leaveToOwners(folder: string): void {
  const database = new Database(join(folder, 'data/production.db'))
  database.run('UPDATE domains SET next_check_at = NULL')
  database.close()
}

/** Returns the number of checks or changes. */
async function runOwners({ url }: Service, owners: readonly Owner[], ...args: readonly unknown[]): Promise<number> {
  const command = [...whenIdle, ...bun('domain-owners.ts', url, ...args.map(String))]
  const stdin = new Blob([JSON.stringify(owners)])
  const child = Bun.spawn(command, { stdin, stdout: 'pipe', stderr: 'inherit' })
  return Number(await new Response(child.stdout).text())
}

async function phase(name: string, { url, pid }: Service, key: string, work: () => Promise<unknown>): Promise<Phase> {
  const probe = Bun.spawn(bun('probe.ts', url, String(pid), '/v1/pets', key), {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await Bun.sleep(500)
  await work()
  probe.stdin.end()
  const times = (await new Response(probe.stdout).json()) as [wallMs: number, ownMs: number, ranMs: number][]
  const column = (i: 0 | 1 | 2) => times.map((one) => one[i]).sort((a, b) => a - b)
  const at = (sorted: readonly number[], share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const [wall, own, ran] = [column(0), column(1), column(2)]
  const timesMs = [at(wall, 0.5), at(wall, 0.99), at(wall, 1), at(own, 0.99), at(ran, 0.99)]
  return { name, requests: times.length, timesMs }
}

/** The medians of all phases of a kind with their ranges. */
function medians(kind: string): string[] {
  const own = phases.filter(({ name }) => name === kind)
  const columns = own[0]?.timesMs.map((_, i) => own.map(({ timesMs }) => timesMs[i] ?? 0)) ?? []
  const requests = wholeNumber(median(own.map((one) => one.requests)))
  return [`${kind}, median`, requests, ...columns.map((column) => `${medianWithRange(column, 2)} ms`)]
}

function row({ name, requests, timesMs }: Phase): string[] {
  return [name, wholeNumber(requests), ...timesMs.map((ms) => `${ms.toFixed(2)} ms`)]
}
