/**
 * Compares the list of animals and durable creation with a plain `Bun.serve` that sends the same bytes, alternately in
 * one run.
 *
 *     bun bench/http.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { executable, median, petstore, report, root, start, wrk } from './measure.ts'

const rounds = 5
const seconds = 3

const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const animals = resolve(root, '../shared/data/austin-animal-center-outcomes.csv')
await petstore(folder, 'pets', 'import', animals, '--columns', 'name=Name,category=Type', '--skip-invalid')
const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench', ...unlimited)) as { key: string }

const shop = await start([executable, 'serve', '--json', '--port', '0'], folder)
const { url } = JSON.parse(shop.line) as { url: string }
const headers = { Authorization: `Bearer ${key}` }
const list = '/v1/pets?limit=20'
const created = await fetch(`${url}/v1/pets`, {
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: '{"name":"Honeysuckle","categoryId":2}',
})
const responses = { list: await captured(await fetch(url + list, { headers })), created: await captured(created) }
const peer = await start([process.execPath, resolve(import.meta.dir, 'peer.ts'), JSON.stringify(responses)], folder)
const peerUrl = `http://127.0.0.1:${peer.line}`
const script = resolve(import.meta.dir, 'post.lua')

const loads = [
  { name: `GET ${list}`, path: list, connections: 64 },
  { name: 'POST /v1/pets, durable', path: '/v1/pets', connections: 128, script },
]
const rows: string[][] = []
for (const { name, path, ...load } of loads) {
  const measured: { shop: number; raw: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const one = {
      shop: await wrk({ ...load, url: url + path, seconds, headers }),
      raw: await wrk({ ...load, url: peerUrl + path, seconds, headers }),
    }
    // The first round warms both up.
    if (round > 0) measured.push(one)
  }
  const ratios = measured.map((one) => one.shop / one.raw)
  rows.push([
    name,
    String(load.connections),
    Math.round(median(measured.map((one) => one.shop))).toLocaleString('en'),
    Math.round(median(measured.map((one) => one.raw))).toLocaleString('en'),
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
  ])
}
await Promise.all([shop.stop(), peer.stop()])
rmSync(folder, { recursive: true })
report(
  'HTTP against raw Bun.serve',
  ['request', 'connections', 'petstore, requests/s', 'raw, requests/s', 'ratio (median of rounds)', 'range'],
  rows,
)

/** A response for the peer to send, without the headers that `Bun.serve` adds by itself. */
async function captured(response: Response) {
  const own = Object.fromEntries(response.headers)
  delete own['date']
  delete own['content-length']
  return { status: response.status, headers: own, body: await response.text() }
}
