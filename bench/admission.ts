/**
 * Measures the cost of admission (request id, key, limits, headers) for each request, the memory of a hundred thousand
 * accounts, and the effect of a flood of wrong keys on requests with a valid key.
 *
 *     bun bench/admission.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { generateKey } from '../src/access/keys/rules.ts'
import { executable, makeStore, median, petstore, report, start, wrk } from './measure.ts'

const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
await costPerRequest()
await memoryOfAccounts()
await flood()
rmSync(folder, { recursive: true })

async function costPerRequest(): Promise<void> {
  const bundle = await Bun.build({
    entrypoints: [resolve(import.meta.dir, 'admission-server.ts')],
    target: 'bun',
    outdir: folder,
  })
  const server = await start([process.execPath, bundle.outputs[0]?.path ?? ''], folder)
  const urls = JSON.parse(server.line) as { with: string; without: string; key: string }
  const load = { connections: 64, seconds: 3, headers: { Authorization: `Bearer ${urls.key}` } }
  const rounds: { guarded: number; bare: number }[] = []
  for (let round = 0; round < 6; round++) {
    const guarded = await wrk({ ...load, url: `${urls.with}/v1/pets?limit=20` })
    const bare = await wrk({ ...load, url: `${urls.without}/v1/pets?limit=20` })
    if (round > 0) rounds.push({ guarded, bare })
  }
  await server.stop()
  const micros = (rate: number) => 1_000_000 / rate
  const costs = rounds.map(({ guarded, bare }) => micros(guarded) - micros(bare))
  report(
    'Admission, per request',
    ['with, requests/s', 'without, requests/s', 'ratio', 'cost'],
    [
      [
        Math.round(median(rounds.map(({ guarded }) => guarded))).toLocaleString('en'),
        Math.round(median(rounds.map(({ bare }) => bare))).toLocaleString('en'),
        median(rounds.map(({ guarded, bare }) => guarded / bare)).toFixed(2),
        `${median(costs).toFixed(1)} µs`,
      ],
    ],
  )
}

async function memoryOfAccounts(): Promise<void> {
  const accounts = 100_000
  const measured = await start([process.execPath, resolve(import.meta.dir, 'accounts-memory.ts')], folder)
  const bytes = Number(measured.line)
  report(
    'Limits, memory',
    ['active accounts', 'memory', 'each'],
    [[accounts.toLocaleString('en'), `${(bytes / 2 ** 20).toFixed(0)} MiB`, `${Math.round(bytes / accounts)} B`]],
  )
}

async function flood(): Promise<void> {
  const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  makeStore(folder)
  const { key } = (await petstore(folder, 'keys', 'create', '--name', 'Bench', ...unlimited)) as { key: string }
  const shop = await start([executable, 'serve', '--json', '--port', '0', '--trusted-proxy', '127.0.0.1'], folder)
  const { url, pid } = JSON.parse(shop.line) as { url: string; pid: number }
  const headers = { Authorization: `Bearer ${key}` }
  const load = { url: `${url}/v1/pets`, connections: 16, seconds: 4 }
  const wrong = join(folder, 'wrong.lua')
  await Bun.write(wrong, wrongKeys())
  const right = join(folder, 'right.lua')
  await Bun.write(
    right,
    `request = function() return wrk.format("GET", nil, {["Authorization"] = "Bearer ${key}"}) end`,
  )

  const alone = await wrk({ ...load, headers })
  const beside = async (script: string, expectsErrors: boolean) =>
    (await Promise.all([wrk({ ...load, headers }), wrk({ ...load, script, expectsErrors })]))[0]
  const withValid = await beside(right, false)
  await beside(wrong, true)
  const rssBefore = await rss(pid)
  const withFlood = await beside(wrong, true)
  const rssAfter = await rss(pid)
  await shop.stop()
  report(
    'A flood of wrong keys from 100,000 addresses',
    [
      'valid requests/s alone',
      'beside as many valid ones',
      'beside the flood',
      'memory after a first flood',
      'after a second',
    ],
    [
      [
        ...[alone, withValid, withFlood].map((rate) => Math.round(rate).toLocaleString('en')),
        ...[rssBefore, rssAfter].map((bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`),
      ],
    ],
  )
}

/**
 * Well-formed unknown keys, each of which causes a lookup in the database. X-Forwarded-For of a trusted proxy gives
 * each request another address.
 */
function wrongKeys(): string {
  const keys = Array.from({ length: 2_000 }, () => `"${generateKey('production')}"`).join(',')
  return `
    local keys = {${keys}}
    local n = 0
    request = function()
      n = n + 1
      local address = string.format("10.%d.%d.%d", n % 100000 / 65536, n / 256 % 256, n % 256)
      return wrk.format("GET", nil, {["Authorization"] = "Bearer " .. keys[n % #keys + 1], ["X-Forwarded-For"] = address})
    end`
}

async function rss(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
