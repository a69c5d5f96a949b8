/**
 * Measures how long GET /v1/pets takes while 50 domains are checked, whose records are wrong. Phases of three kinds
 * take turns, so that the noise of each can be seen: without checks; with 50 accounts that request checks all the time;
 * and with 50 checks that are due, which the service begins by itself. Each run has the phases in one order and then in
 * the other, so that no kind has a service that has run for longer; the requests of five seconds before them, in which
 * the code of GET is compiled, do not count.
 *
 * The DNS servers and the owners who request the checks are other machines in reality. Here they share the processors
 * with the service and with the client that is measured, and run only when these leave a processor idle (SCHED_IDLE
 * where there is `chrt`, else `nice`). The DNS servers take 20 ms for each response, so that checks overlap. They need
 * port 53 of a loopback address, and the service port 80 of another.
 *
 *     bun bench/domain-checks.ts [RUNS] [--record]
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildZip } from '../src/hosting/deploys/testing/zip.ts'
import type { Owner } from './domain-owners.ts'
import { executable, median, medianWithRange, petstore, report, root, start, wholeNumber } from './measure.ts'

const accounts = 50
const domainsEach = 5
/** Each run has a service of its own, which has made no check before its first phase with checks. */
const runs = Number(process.argv[2]) || 4
/**
 * Of a phase without checks. One in which they are requested has no request in its last ten seconds, and ends with the
 * last result.
 */
const seconds = 15
const address = '127.55.0.1'
const whenIdle = Bun.which('chrt') ? ['chrt', '--idle', '0'] : ['nice', '-n', '19']
const bun = (script: string, ...args: string[]) => ['bun', join(root, 'bench', script), ...args]
const idle = 'no load'
const requesting = `${accounts} checks at a time, requested` as const
const due = `${accounts} checks that are due` as const
const kinds = [idle, requesting, due] as const
/** The requests before the first phase. */
const warmUpSeconds = 5
let checks = 0
const phases: Phase[] = []

for (let i = 0; i < runs; i++) await run()
report(
  `Response time of GET /v1/pets beside checks of domains (${checks} checks)`,
  ['beside', 'requests', 'p50', 'p99', 'max', 'p99 on a processor', 'p99 server ran'],
  [...phases.map(row), ...kinds.map(medians), ...kinds.slice(1).map(differences)],
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
  const key = owners[0]?.key ?? ''
  const workOf = {
    [idle]: () => Bun.sleep(seconds * 1_000),
    [requesting]: async () => {
      checks += await runOwners(service, owners, seconds - 10)
    },
    [due]: async () => {
      checks += await checkOneEach(folder)
    },
  }
  planNoChecks(folder)
  await phase('', service, key, () => Bun.sleep(warmUpSeconds * 1_000))
  for (const kind of [...kinds, ...kinds.toReversed()]) {
    planNoChecks(folder)
    phases.push(await phase(kind, service, key, workOf[kind]))
  }
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

/** The service would check a domain by itself a minute after the last check, in a phase of another kind. */
function planNoChecks(folder: string): void {
  const database = new Database(join(folder, 'data/production.db'))
  database.run('UPDATE domains SET next_check_at = NULL')
  database.close()
}

/** Makes a check of one domain of each account due. Returns the number of checks when their results are stored. */
async function checkOneEach(folder: string): Promise<number> {
  const database = new Database(join(folder, 'data/production.db'))
  const nowMs = Date.now()
  const one = 'id IN (SELECT min(id) FROM domains GROUP BY project_id)'
  database.run(`UPDATE domains SET next_check_at = ? WHERE ${one}`, [nowMs])
  const left = database.query<{ domains: number }, [number]>(
    `SELECT count(*) AS domains FROM domains WHERE ${one} AND coalesce(checked_at, 0) < ?`,
  )
  while ((left.get(nowMs)?.domains ?? 0) > 0) await Bun.sleep(2_000)
  database.close()
  return accounts
}

/** Returns the number of checks. */
async function runOwners({ url }: Service, owners: readonly Owner[], seconds: number): Promise<number> {
  const command = [...whenIdle, ...bun('domain-owners.ts', url, String(seconds))]
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

/** The median differences between the phases of a kind and those without load in the same half of the same run. */
function differences(kind: string): string[] {
  const halves = Array.from({ length: phases.length / kinds.length }, (_, i) =>
    phases.slice(i * kinds.length, (i + 1) * kinds.length),
  )
  const timesOf = (half: readonly Phase[], name: string) => half.find((one) => one.name === name)?.timesMs ?? []
  const cells = phases[0]?.timesMs.map((_, i) => {
    const more = halves.map((half) => (timesOf(half, kind)[i] ?? 0) - (timesOf(half, idle)[i] ?? 0))
    const higher = more.filter((ms) => ms > 0).length
    return `${median(more).toFixed(2)} ms, higher in ${higher} of ${more.length}`
  })
  return [`${kind}, less ${idle}`, '', ...(cells ?? [])]
}

function row({ name, requests, timesMs }: Phase): string[] {
  return [name, wholeNumber(requests), ...timesMs.map((ms) => `${ms.toFixed(2)} ms`)]
}
