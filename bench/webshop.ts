/**
 * Measures the web shop of a store with 5,000 animals that have photos: the processor time of pages that are not cached,
 * the rate of cached pages beside a file of the same size on the same site, alternately in one run, and the response
 * times of the API beside visitors. Processor time is that of the process, whatever else the machine does.
 *
 *     bun bench/webshop.ts [ANIMALS] [--record]
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/testing/peers/peer.ts'
import { makeAnimals } from './animals.ts'
import {
  executable,
  median,
  medianWithRange,
  type P99,
  type ProcessorTimes,
  petstore,
  probe,
  processorTimes,
  report,
  spentSince,
  start,
  wholeNumber,
  wrk,
} from './measure.ts'

const animals = Number(process.argv[2]) || 5_000
const [rounds, seconds, connections] = [9, 2, 32]
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const store = join(folder, 'store')
makeAnimals(store, animals, (place) => (place < animals / 3 ? 3 : 0))
const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000', '--scope', 'admin']
const { key } = (await petstore(store, 'keys', 'create', '--name', 'Bench', ...plan)) as { key: string }
const port = await freePort('127.0.0.1')
const options = [
  '--port',
  '0',
  '--platform-domain',
  'shop.localhost',
  '--http-port',
  String(port),
  '--backup-at',
  'off',
]

let server = await serve()
await call('PATCH', '/store/settings', { currency: 'EUR' })
await call('PUT', '/store/website', { kind: 'shop', name: 'Paws', language: 'en', phone: '+49 30 123456' })
const site = `http://127.0.0.1:${port}`
const headers = { Host: 'paws.shop.localhost' }
await measurePages()
await compareWithFiles()
await probeBesideVisitors()
await server.stop()
rmSync(folder, { recursive: true })

async function serve() {
  const { line, ...process } = await start([executable, 'serve', '--json', ...options], store)
  return { ...process, url: (JSON.parse(line) as { url: string }).url }
}

async function call(method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status}: ${await response.text()}`)
}

async function fetchPage(path: string): Promise<string> {
  const response = await fetch(site + path, { headers, redirect: 'manual' })
  if (response.status !== 200) throw new Error(`GET ${path} failed with ${response.status}.`)
  return await response.text()
}

/** The processor time of pages that are not cached, a page each. */
async function measurePages(): Promise<void> {
  const lists = (query: string) =>
    Array.from({ length: Math.ceil(animals / 24) }, (_, i) => `/animals?${query}page=${i + 1}`)
  const pages = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `/animals/${from + i}/animal-${from + i - 1}`)
  const cost = async (paths: readonly string[]) => {
    const before = processorTimes(server.pid)
    for (const path of paths) await fetchPage(path)
    return spentSince(server.pid, before, paths.length)
  }
  const times = 50
  const change = (breed: string) => call('PATCH', '/pets/1/profile', { breed })
  const afterChange = async () => {
    const start = processorTimes(server.pid)
    for (let i = 0; i < times; i++) await change(`Breed ${i}`)
    const alone = spentSince(server.pid, start, times)
    const before = processorTimes(server.pid)
    for (let i = 0; i < times; i++) {
      await change(`Other ${i}`)
      await fetchPage('/')
    }
    const both = spentSince(server.pid, before, times)
    return { mainMs: both.mainMs - alone.mainMs, allMs: both.allMs - alone.allMs }
  }
  const first: ProcessorTimes[] = []
  for (let i = 0; i < 5; i++) {
    await server.stop()
    server = await serve()
    await fetchPage('/')
    first.push(await cost(lists('').slice(0, 30)))
  }
  await cost(lists('').slice(30))
  const costs = {
    'list, the first 30 after a start': first,
    list: [
      await cost(lists('sex=female&')),
      await cost(lists('sort=price&')),
      await cost(lists('sex=female&sort=price&')),
    ],
    animal: [await cost(pages(1, 500)), await cost(pages(500, 1_000)), await cost(pages(1_000, 1_500))],
    'front page after a change': [await afterChange(), await afterChange(), await afterChange()],
  }
  const ms = (values: readonly number[]) => `${medianWithRange(values, 2)} ms`
  report(
    `Pages of the web shop that are not cached, ${wholeNumber(animals)} animals`,
    ['page', 'main thread', 'with the threads that compile and collect'],
    Object.entries(costs).map(([name, times]) => [
      name,
      ms(times.map(({ mainMs }) => mainMs)),
      ms(times.map(({ allMs }) => allMs)),
    ]),
  )
}

/** Each page is stored as a file of the same site, too. */
async function compareWithFiles(): Promise<void> {
  const pages = { 'front page': '/', list: '/animals', animal: '/animals/1/animal-0' }
  const directory = join(folder, 'files')
  mkdirSync(directory)
  for (const [name, path] of Object.entries(pages))
    writeFileSync(join(directory, `${name}.html`), await fetchPage(path))
  await petstore(store, 'deploy', directory, '--project', 'paws')
  const rows: string[][] = []
  for (const [name, path] of Object.entries(pages)) {
    for (const coding of ['identity', 'gzip']) {
      const load = { connections, seconds, headers: { ...headers, 'Accept-Encoding': coding } }
      const rates: { page: number; file: number }[] = []
      for (let round = 0; round <= rounds; round++) {
        const one = {
          page: await wrk({ ...load, url: site + path }),
          file: await wrk({ ...load, url: `${site}/${encodeURI(name)}.html` }),
        }
        // The first round warms both up.
        if (round > 0) rates.push(one)
      }
      const ratios = rates.map(({ page, file }) => page / file)
      rows.push([
        `${name}, ${coding}`,
        wholeNumber(median(rates.map(({ page }) => page))),
        wholeNumber(median(rates.map(({ file }) => file))),
        medianWithRange(ratios, 2),
      ])
    }
  }
  report('Cached pages of the web shop against files', ['', 'page, requests/s', 'file, requests/s', 'ratio'], rows)
}

async function probeBesideVisitors(): Promise<void> {
  const target = { ...server, key, path: '/v1/pets' }
  const alone: P99[] = []
  const beside: P99[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await probe(target, () => Bun.sleep(seconds * 1_000)))
    beside.push(await probe(target, () => wrk({ url: `${site}/animals`, headers, connections, seconds })))
  }
  const row = (name: string, column: keyof P99) => {
    const [without, withVisitors] = [alone.map((one) => one[column]), beside.map((one) => one[column])]
    const more = median(withVisitors) - median(without)
    return [
      name,
      `${medianWithRange(without, 1)} ms`,
      `${medianWithRange(withVisitors, 1)} ms`,
      `${more.toFixed(1)} ms`,
    ]
  }
  report(
    `Response time of GET /v1/pets beside ${connections} connections on the web shop`,
    ['', 'alone', 'beside visitors', 'added'],
    [row('p99', 'wallMs'), row('p99 on a processor', 'ownMs')],
  )
}
