/**
 * Compares this executable with an earlier one, alternately in one run: the processor time of the server for a request.
 * The ratio is that of the earlier one to this one: above 1, this one needs less.
 *
 *     bun bench/executables.ts EARLIER [--rounds 20] [--only TEXT]
 *
 * wrk takes the server name from the URL: the page over HTTPS needs the line `127.0.0.1 ada.stores.example` in
 * /etc/hosts.
 */

import { lookup } from 'node:dns/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { executable, type Load, median, processorMs, report, runJson, start, wrk } from './measure.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
})
const earlier = resolve(positionals[0] ?? '')
const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const seconds = 1
const list = '/v1/pets?limit=20'
const siteName = 'ada.stores.example'
const script = (name: string) => resolve(import.meta.dir, name)

const servers = [await serve(earlier), await serve(executable)] as const
type Server = (typeof servers)[number]

const works: Readonly<Record<string, (server: Server) => Omit<Load, 'seconds'>>> = {
  'GET 20 of 14,000': ({ url, headers }) => ({ url: url + list, headers, connections: 32 }),
  'GET one': ({ url, headers }) => ({ url: `${url}/v1/pets/7000`, headers, connections: 32 }),
  'GET 20, 304': ({ url, headers, tag }) => ({
    url: url + list,
    headers: { ...headers, 'If-None-Match': tag },
    connections: 32,
  }),
  '95 % GET 20, 5 % POST': ({ url, headers }) => ({
    url: url + list,
    headers,
    connections: 32,
    script: script('mix.lua'),
  }),
  ...Object.fromEntries(
    [128, 1].map((connections) => [
      `durable POST, ${connections} connections`,
      ({ url, headers }: Server) => ({ url: `${url}/v1/pets`, headers, connections, script: script('post.lua') }),
    ]),
  ),
  'a page of 10 kB over HTTPS': ({ httpsPort }) => ({ url: `https://${siteName}:${httpsPort}/`, connections: 32 }),
}

const rows: string[][] = []
for (const [name, work] of Object.entries(works)) {
  if (!name.includes(options.only)) continue
  if (name.endsWith('HTTPS') && (await lookup(siteName).catch(() => undefined)) === undefined) {
    console.error(`SKIPPED: ${name} needs ${siteName} in /etc/hosts.`)
    continue
  }
  rows.push([name, ...(await compare(work))])
  console.error(rows.at(-1)?.join(' | '))
}
for (const { stop } of servers) await stop()
rmSync(folder, { recursive: true })
report('Requests against an earlier executable', ['request', 'earlier, µs', 'now, µs', 'ratio (quartiles)'], rows)

/** Starts a store of 14,000 animals with a site of one page. */
async function serve(program: string) {
  const cwd = mkdtempSync(join(folder, 'store-'))
  writeFileSync(join(cwd, 'animals.csv'), animals())
  mkdirSync(join(cwd, 'site'))
  writeFileSync(join(cwd, 'site/index.html'), `<!doctype html><title>Ada</title>${'a page of words. '.repeat(640)}`)
  const made = Bun.spawnSync(
    ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'cert.pem'].concat([
      '-subj',
      '/CN=stores.example',
      '-addext',
      'subjectAltName=DNS:*.stores.example,DNS:stores.example',
    ]),
    { cwd },
  )
  if (made.exitCode !== 0) throw new Error(`openssl failed: ${made.stderr}`)
  const run = (...args: readonly string[]) => runJson(program, cwd, args)
  const server = await start(
    [program, 'serve', '--json', '--port', '0', '--http-port', '0', '--https-port', '0', '--public-host', '127.0.0.1']
      .concat(['--platform-domain', 'stores.example', '--platform-cert', 'cert.pem', '--platform-key', 'key.pem'])
      .concat([
        '--public-address',
        '127.0.0.1',
        '--allow-private-addresses',
        '--acme-directory',
        'https://127.0.0.1:9/',
        '--log-level',
        'error',
      ]),
    cwd,
  )
  const { url, httpsPort, pid } = JSON.parse(server.line) as { url: string; httpsPort: number; pid: number }
  const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000']
  const { key } = (await run('keys', 'create', '--name', 'Bench', ...unlimited)) as { key: string }
  await run('pets', 'import', 'animals.csv')
  await run('projects', 'create', 'ada')
  await run('deploy', 'site', '--project', 'ada')
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const tag = (await fetch(url + list, { headers })).headers.get('etag') ?? ''
  return { url, httpsPort, pid, headers, tag, stop: server.stop }
}

function animals(): string {
  const names = ['Honeysuckle', 'Lucky', 'Missy', 'Olli', 'Zell', 'Chuy', 'Kit Kat', 'Bella', 'Flint', 'Ash']
  return `name,categoryId\n${Array.from({ length: 14_000 }, (_, i) => `${names[i % 10]} ${i},${1 + (i % 6)}\n`).join('')}`
}

/** Returns the medians of both, and the median of the ratio with its quartiles. */
async function compare(work: (server: Server) => Omit<Load, 'seconds'>): Promise<string[]> {
  const micros: [number, number][] = []
  for (let round = 0; round <= Number(options.rounds); round++) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0]
    const one: [number, number] = [0, 0]
    for (const at of order) {
      const server = servers[at] as Server
      const before = processorMs(server.pid)
      const perSecond = await wrk({ ...work(server), seconds })
      one[at] = ((processorMs(server.pid) - before) * 1_000) / (perSecond * seconds)
    }
    // The first round warms both up.
    if (round > 0) micros.push(one)
  }
  const ratios = micros.map(([old, own]) => old / own).sort((a, b) => a - b)
  const quartile = (part: number) => (ratios[Math.floor(ratios.length * part)] ?? 0).toFixed(2)
  const medianOf = (at: 0 | 1) => median(micros.map((one) => one[at])).toFixed(1)
  return [medianOf(0), medianOf(1), `${median(ratios).toFixed(2)} (${quartile(0.25)}–${quartile(0.75)})`]
}
