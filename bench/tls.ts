/**
 * Compares the HTTPS listener with a native Bun TLS listener that has the same certificate and the same handlers,
 * alternately in one run. Then opens ten thousand connections while certificates are added, replaced and removed.
 *
 *     bun bench/tls.ts [--record]
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueKey } from '../src/access/keys/issue.ts'
import type { Certificate, Site } from '../src/api/host.ts'
import { scopes } from '../src/api/scopes.ts'
import { createApp } from '../src/app/app.ts'
import { createIssuer } from '../src/hosting/certificates/testing/issuer.ts'
import { createContents } from '../src/hosting/sites/contents.ts'
import { createSite } from '../src/hosting/sites/site.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { parseNetwork } from '../src/lib/network.ts'
import { createHandler, type HandlerParts } from '../src/server/handle.ts'
import { startPublicListeners } from '../src/server/public-listeners.ts'
import { getRequest, sendHttps } from '../src/testing/https-client.ts'
import { createStoredFiles, findIn } from '../src/testing/stored-files.ts'
import { median, medianWithRange, processorMs, report, start, wholeNumber, wrk } from './measure.ts'

const rounds = 5
const seconds = 3
const connections = 32

/** wrk takes the server name from the URL, and this is the only one that leads here everywhere. */
const name = 'localhost'

interface Ports {
  readonly native: { readonly site: number; readonly api: number }
  readonly front: { readonly site: number; readonly api: number }
  readonly key: string
}

interface Measured {
  readonly perSecond: number
  /** Of the server, for each request. It depends less on the load of the machine than the rate. */
  readonly processorMicros: number
}

if (process.argv.includes('--server')) await serve()
else await measure()

/** Both listeners with a site of one file of 10 kB, and with the API of an empty store with twenty animals. */
async function serve(): Promise<void> {
  const issuer = await createIssuer()
  const certificate = await issuer.server([name])
  const files = createStoredFiles()
  const parts = { contents: createContents(files), log: silentLog }
  const page = files.add('index.html', 'a page of words. '.repeat(640))
  const site = createSite(findIn([page]), parts)
  const config = { environment: 'production', databasePath: ':memory:', corsOrigins: [], trustedProxies: [] } as const
  const app = createApp(config, systemClock, silentLog)
  const custom = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const account = { name: 'Bench', plan: 'enterprise', custom } as const
  const { key } = await app.writer.write(() => {
    for (let i = 0; i < 20; i++) app.pets.add({ name: `Animal ${i}`, categoryId: 1, status: 'available' })
    return issueKey(
      app,
      { name: 'Bench', account, scopes, expiresAt: undefined },
      { actor: 'system', nowMs: Date.now() },
    )
  })
  const handler: HandlerParts = { log: silentLog, clock: systemClock, observe: () => {} }
  const native = (one: Site) => {
    const tls = { cert: certificate.cert, key: certificate.key }
    return Bun.serve({ hostname: '127.0.0.1', port: 0, tls, ...createHandler({ ...handler, respond: one }) }).port
  }
  const front = (one: Site, knowsAddresses: boolean) =>
    listenersFor(one, () => certificate, { ...handler, log: { ...silentLog, isDebug: knowsAddresses } }, process.cwd())
      .httpsPort
  const ports = {
    native: { site: native(site), api: native(app.api.fetch) },
    front: { site: front(site, false), api: front(app.api.fetch, true) },
    key,
  }
  console.log(JSON.stringify(ports))
  process.on('SIGTERM', () => process.exit(0))
}

function listenersFor(
  site: Site,
  certificateOf: (wanted: string) => Certificate | undefined,
  handler: HandlerParts,
  folder: string,
) {
  return startPublicListeners({
    ...handler,
    publicHost: '127.0.0.1',
    httpPort: 0,
    httpsPort: 0,
    trustedProxies: [parseNetwork('127.0.0.1')].filter((network) => network !== undefined),
    socketDirectory: mkdtempSync(join(folder, 'sockets-')),
    needsAddresses: () => handler.log.isDebug,
    hosts: { certificate: certificateOf, respondOverHttps: site, respondInClear: site },
  })
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
  const server = await start([process.execPath, import.meta.path, '--server'], folder)
  const { native, front, key } = JSON.parse(server.line) as Ports
  const authorization = { Authorization: `Bearer ${key}` }
  const cases = [
    { title: 'a page of 10 kB of a site', kind: 'site', path: '/', headers: {} },
    { title: '20 animals of the API, which knows the address', kind: 'api', path: '/v1/pets', headers: authorization },
    { title: 'a new connection for each page', kind: 'site', path: '/', headers: { Connection: 'close' } },
  ] as const
  const rows: string[][] = []
  try {
    for (const { title, kind, path, headers } of cases) {
      // wrk counts a connection that the server closes as an error.
      const load = { connections, seconds, headers: { ...headers }, expectsErrors: 'Connection' in headers }
      const run = async (port: number): Promise<Measured> => {
        const beforeMs = processorMs(server.pid)
        const perSecond = await wrk({ ...load, url: `https://${name}:${port}${path}` })
        return { perSecond, processorMicros: ((processorMs(server.pid) - beforeMs) * 1_000) / (perSecond * seconds) }
      }
      const measured: { front: Measured; native: Measured }[] = []
      for (let round = 0; round <= rounds; round++) {
        const one = { front: await run(front[kind]), native: await run(native[kind]) }
        // The first round warms both up.
        if (round > 0) measured.push(one)
      }
      const ratios = measured.map((one) => one.front.perSecond / one.native.perSecond)
      const micros = (of: 'front' | 'native') => median(measured.map((one) => one[of].processorMicros)).toFixed(1)
      rows.push([
        title,
        wholeNumber(median(measured.map((one) => one.front.perSecond))),
        wholeNumber(median(measured.map((one) => one.native.perSecond))),
        medianWithRange(ratios, 2),
        `${micros('front')} and ${micros('native')} µs`,
      ])
    }
  } finally {
    await server.stop()
  }
  report(
    'HTTPS against a native Bun TLS listener',
    [
      `request, ${connections} connections`,
      'front, requests/s',
      'native, requests/s',
      'ratio (median and range of rounds)',
      'processor time for a request, front and native',
    ],
    rows,
  )
  await changeCertificates(folder)
  rmSync(folder, { recursive: true })
}

/** Counts the failed handshakes of ten thousand connections while certificates change. */
async function changeCertificates(folder: string): Promise<void> {
  const issuer = await createIssuer()
  const spare = await Promise.all(Array.from({ length: 10 }, () => issuer.server([name])))
  const certificates = new Map<string, Certificate>([[name, spare[0] as Certificate]])
  const handler: HandlerParts = { log: silentLog, clock: systemClock, observe: () => {} }
  const listeners = listenersFor(
    () => new Response('x'),
    (wanted) => certificates.get(wanted),
    handler,
    folder,
  )
  let changes = 0
  const changing = setInterval(() => {
    certificates.set(name, { ...(spare[changes % spare.length] as Certificate) })
    certificates.set(`${changes}.example`, spare[0] as Certificate)
    certificates.delete(`${changes - 100}.example`)
    listeners.update()
    changes++
  }, 5)
  const total = 10_000
  let opened = 0
  let failed = 0
  const startMs = performance.now()
  const connect = async () => {
    while (opened < total) {
      opened++
      const text = await sendHttps({ port: listeners.httpsPort ?? 0, name, ca: issuer.root, text: getRequest(name) })
      if (!text.startsWith('HTTP/1.1 200')) failed++
    }
  }
  await Promise.all(Array.from({ length: connections }, connect))
  const elapsedMs = performance.now() - startMs
  clearInterval(changing)
  await listeners.stop()
  report(
    'New HTTPS connections while certificates are added, replaced and removed',
    ['connections', 'changes of certificates', 'failed', 'seconds, client in the same process'],
    [[wholeNumber(total), wholeNumber(changes), String(failed), (elapsedMs / 1_000).toFixed(1)]],
  )
}
