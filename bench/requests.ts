/**
 * Compares the requests of the API with a plain `Bun.serve` that sends the same body, with Fastify and with PocketBase,
 * alternately in one run.
 *
 *     bun bench/requests.ts [--rounds 3] [--seconds 2] [--only TEXT] [--no-peers] [--record]
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  executable,
  importRows,
  type Load,
  makeStore,
  median,
  medianWithRange,
  petstore,
  type Rate,
  report,
  residentMiB,
  start,
  wholeNumber,
  wrkRate,
} from './measure.ts'
import { type Peer, startFastify, startPocketBase } from './peers/start.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    'no-peers': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)]
const animals = 14_001
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const script = (name: string) => resolve(import.meta.dir, name)
const list = '/v1/pets?limit=20'
const isPost = (usedScript: string | undefined) => usedScript === script('post.lua')

interface Work {
  readonly name: string
  readonly path: string
  readonly connections: number
  readonly script?: string
  /** Sends `If-None-Match` with the tag of the response. */
  readonly isConditional?: boolean
  /** The request to the peers; undefined if they have nothing like it. */
  readonly peer?: 'list' | 'one'
}

const works: readonly Work[] = [
  { name: 'GET 20 of 14,001', path: list, connections: 32, peer: 'list' },
  { name: 'GET one', path: '/v1/pets/7000', connections: 32, peer: 'one' },
  { name: 'GET 20, 304', path: list, connections: 32, isConditional: true },
  { name: '95 % GET 20, 5 % POST', path: list, connections: 32, script: script('mix.lua'), peer: 'list' },
  { name: 'durable POST', path: '/v1/pets', connections: 128, script: script('post.lua'), peer: 'list' },
  { name: 'durable POST', path: '/v1/pets', connections: 1, script: script('post.lua'), peer: 'list' },
  { name: 'GET /categories', path: '/v1/categories', connections: 32 },
  { name: 'GET /categories/1', path: '/v1/categories/1', connections: 32 },
  { name: 'GET /store/inventory', path: '/v1/store/inventory', connections: 32 },
  { name: 'GET /keys/current', path: '/v1/keys/current', connections: 32 },
]

const { server, headers } = await startPetstore()
const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
const created = await captured(await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: newPet() }))
const peers = options['no-peers'] ? [] : [await startFastify(folder, animals), await startPocketBase(folder, animals)]
const rows: Compared[] = []
for (const work of works) if (work.name.includes(options.only)) rows.push(await compare(work))
const memory = [{ name: 'petstore', pid }, ...peers.filter((peer) => peer !== undefined)].map((one) => [
  one.name,
  `${residentMiB(one.pid).toFixed(0)} MiB`,
])
await Promise.all([server.stop(), ...peers.map((peer) => peer?.stop())])
report(
  'Requests against Fastify and PocketBase',
  [
    'request',
    'connections',
    'petstore, requests/s',
    'p99',
    ...['petstore', 'Fastify', 'PocketBase'].map((name) => `${name}, share of raw`),
  ],
  rows.filter((row) => row.peers.length > 0).map(({ rate, p99, raw, peers }) => [...rate, p99, raw, ...peers]),
)
report('Memory after these requests', ['process', 'memory'], memory)
report(
  'Requests against raw Bun.serve',
  [
    'request',
    'connections',
    'petstore, requests/s',
    'share of raw',
    'of raw with our headers',
    'of the same that reads or stores',
  ],
  rows.map(({ rate, raw, others }) => [...rate, raw, ...others]),
)
rmSync(folder, { recursive: true })

async function startPetstore() {
  const names = ['Honeysuckle', 'Lucky', 'Missy', 'Olli', 'Zell', 'Chuy', 'Kit Kat', 'Bella', 'Flint', 'Ash']
  const lines = Array.from({ length: animals - 1 }, (_, i) => `${names[i % 10]} ${i % 100},${1 + (i % 6)}\n`)
  await importRows(folder, lines)
  const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  makeStore(folder)
  const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench', ...unlimited)) as { key: string }
  const started = await start([executable, 'serve', '--json', '--port', '0'], folder)
  return { server: started, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' } }
}

function newPet(): string {
  return '{"name":"Honeysuckle","categoryId":2}'
}

/** Cells of the tables. */
interface Compared {
  /** The request, the connections, and the requests per second of petstore. */
  readonly rate: readonly string[]
  readonly p99: string
  readonly raw: string
  /** Fastify and PocketBase; empty if they have no such request. */
  readonly peers: readonly string[]
  readonly others: readonly string[]
}

async function compare(work: Work): Promise<Compared> {
  const { path, connections, isConditional, peer } = work
  const first = await fetch(url + path, { headers })
  const tag: Record<string, string> = isConditional ? { 'If-None-Match': first.headers.get('etag') ?? '' } : {}
  const got = await captured(isConditional ? await fetch(url + path, { headers: { ...headers, ...tag } }) : first)
  const raws = [await startRaw(plain(got), plain(created)), await startRaw(got, created)]
  if (work.script === undefined) raws.push(await startRaw(got, created, '--reads'))
  else if (isPost(work.script)) raws.push(await startStore(connections))
  const load = { connections, seconds, ...(work.script === undefined ? {} : { script: work.script }) }
  const targets: (Load | undefined)[] = [
    { ...load, url: url + path, headers: { ...headers, ...tag } },
    ...[0, 1, 2].map(
      (i) => raws[i] && { ...load, url: `http://127.0.0.1:${raws[i].line}${path}`, headers: { ...headers, ...tag } },
    ),
    ...[peers[0], peers[1]].map((one) => one && peer && { ...load, ...requestTo(one, peer, connections, work.script) }),
  ]
  const measured: (Rate | undefined)[][] = []
  for (let round = 0; round <= rounds; round++) {
    const rates: (Rate | undefined)[] = []
    for (const target of targets)
      rates.push(target && (await wrkRate({ ...target, ...(round === 0 ? { seconds: 1 } : {}) })))
    // The first round warms all of them up.
    if (round > 0) measured.push(rates)
  }
  await Promise.all(raws.map((raw) => raw.stop()))
  const ratios = (a: number, b: number) =>
    measured.flatMap((rates) => (rates[a] && rates[b] ? rates[a].perSecond / rates[b].perSecond : []))
  const peerCell = (at: number) => {
    const p99s = measured.flatMap((rates) => rates[at]?.p99Ms ?? [])
    return p99s.length === 0 ? '–' : `${medianWithRange(ratios(at, 1), 2)}, p99 ${median(p99s).toFixed(1)} ms`
  }
  const own = measured.flatMap((rates) => rates[0] ?? [])
  const compared = {
    rate: [work.name, String(connections), wholeNumber(median(own.map(({ perSecond }) => perSecond)))],
    p99: `${median(own.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
    raw: medianWithRange(ratios(0, 1), 2),
    peers: peer === undefined ? [] : [peerCell(4), peerCell(5)],
    others: [
      medianWithRange(ratios(0, 2), 2),
      raws[2] ? medianWithRange(ratios(0, 3), 2) + (connections === 1 ? bound(measured) : '') : '–',
    ],
  }
  console.error(Object.values(compared).flat().join(' | '))
  return compared
}

/** How near one connection comes to the sum of the times of a raw response and a bare commit. */
function bound(measured: readonly (Rate | undefined)[][]): string {
  const commits = bareCommits()
  const shares = measured.flatMap(([own, raw]) => (own && raw ? own.perSecond * (1 / raw.perSecond + 1 / commits) : []))
  return `; ${median(shares).toFixed(2)} of 1/(1/raw + 1/bare commits)`
}

/** Durable commits of one row per second, without anything else. */
function bareCommits(): number {
  const database = new Database(join(folder, 'bare.db'))
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT)')
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES ('Honeysuckle', 2, 'available')")
  const startedMs = performance.now()
  let commits = 0
  while (performance.now() - startedMs < seconds * 1_000) {
    insert.run()
    commits++
  }
  database.close()
  return commits / seconds
}

function requestTo(peer: Peer, kind: 'list' | 'one', connections: number, usedScript: string | undefined) {
  const address = isPost(usedScript) ? peer.list.replace(/\?.*/, '') : peer[kind]
  return { url: address, headers: peer.headers, connections, expectsErrors: false }
}

function startRaw(got: object, posted: object, ...rest: readonly string[]) {
  return start([process.execPath, script('raw.ts'), JSON.stringify(got), JSON.stringify(posted), ...rest], folder)
}

function startStore(connections: number) {
  const path = join(folder, `raw-${connections}.db`)
  return start([process.execPath, script('raw-store.ts'), path, String(animals), JSON.stringify(created)], folder)
}

interface Captured {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** A response for the raw server to send, without the headers that `Bun.serve` adds by itself. */
async function captured(response: Response): Promise<Captured> {
  const own = Object.fromEntries(response.headers)
  delete own['date']
  delete own['content-length']
  return { status: response.status, headers: own, body: await response.text() }
}

function plain({ status, body }: Captured): Captured {
  return { status, body, headers: status === 304 ? {} : { 'content-type': 'application/json' } }
}
