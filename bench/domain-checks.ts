/**
 * Measures how long GET /v1/pets takes while 50 accounts check their domains all the time. The DNS servers are in another
 * process and take 20 ms for each response, so that checks overlap. They need port 53 of a loopback address, and the service port 80 of another.
 *
 *     bun bench/domain-checks.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildZip } from '../src/deploys/testing/zip.ts'
import { executable, petstore, report, root, start } from './measure.ts'

const accounts = 50
const domainsEach = 5
const secondsEach = 10
const address = '127.55.0.1'
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))

const dns = await start(['bun', join(root, 'bench/domain-servers.ts'), address], folder)
const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', address, '--allow-private-addresses']
// The address of the platform: each check also fetches a page from it.
const ports = ['--port', '0', '--public-host', '127.9.9.9', '--https-port', 'off', '--trusted-proxy', '127.0.0.0/8']
const server = await start([executable, 'serve', '--json', ...hosting, ...ports], folder)
const { url, pid } = JSON.parse(server.line) as { url: string; pid: number }
await petstore(folder, 'demo')

const owners: Owner[] = []
for (let i = 0; i < accounts; i++) owners.push(await newOwner(i))
const results = [await phase('no load', async () => await Bun.sleep(secondsEach * 1_000))]
let checks = 0
results.push(await phase(`${accounts} checks at a time`, checkAll))
await server.stop()
await dns.stop()
rmSync(folder, { recursive: true })
report(
  `Response time of GET /v1/pets beside checks of domains (${checks} checks)`,
  ['beside', 'requests', 'p50', 'p99', 'max', 'p99 on a processor', 'p99 server ran'],
  results,
)

interface Owner {
  readonly key: string
  readonly project: number
}

function call(key: string, method: string, path: string, body?: BodyInit, type = 'application/json') {
  const headers = { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'Content-Type': type }) }
  return fetch(`${url}/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
}

/** An account with a project and its domains, whose records are wrong: a check of them looks for every reason. */
async function newOwner(i: number): Promise<Owner> {
  const plan = ['--plan', 'enterprise', '--per-minute', '100000000', '--per-day', '1000000000']
  const { key } = (await petstore(folder, 'keys', 'create', '--name', `Owner ${i}`, ...plan)) as { key: string }
  const { id } = (await (await call(key, 'POST', '/projects', JSON.stringify({ name: 'Shop' }))).json()) as {
    id: number
  }
  const archive = new Blob([buildZip([{ name: 'index.html', content: 'Shop' }]) as Uint8Array<ArrayBuffer>])
  await call(key, 'POST', `/projects/${id}/deploys`, archive, 'application/zip')
  for (let n = 0; n < domainsEach; n++) {
    const body = JSON.stringify({ hostname: `s${n}-${i}.kiosk.example` })
    const { status } = await call(key, 'POST', `/projects/${id}/domains`, body)
    if (status !== 201) throw new Error(`adding a domain failed with ${status}`)
  }
  return { key, project: id }
}

/** Checks all domains of each account, one after another. */
async function checkAll(): Promise<void> {
  await Promise.all(
    owners.map(async ({ key, project }, i) => {
      for (let n = 0; n < domainsEach; n++) {
        const response = await call(key, 'POST', `/projects/${project}/domains/s${n}-${i}.kiosk.example/verify`)
        if (response.status === 200) checks++
        await response.text()
      }
    }),
  )
}

async function phase(name: string, work: () => Promise<void>): Promise<string[]> {
  const [{ key } = { key: '' }] = owners
  const probe = Bun.spawn(['bun', join(root, 'bench/probe.ts'), url, String(pid), '/v1/pets', key], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await Bun.sleep(500)
  await work()
  probe.stdin.end()
  const times = JSON.parse(await new Response(probe.stdout).text()) as [number, number, number][]
  const column = (i: 0 | 1 | 2) => times.map((one) => one[i]).sort((a, b) => a - b)
  const at = (sorted: readonly number[], share: number) =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)} ms`
  const [wall, own, ran] = [column(0), column(1), column(2)]
  return [name, String(times.length), at(wall, 0.5), at(wall, 0.99), at(wall, 1), at(own, 0.99), at(ran, 0.99)]
}
