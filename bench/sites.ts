/**
 * Compares the sites of deploys with Debian's nginx (`nginx-light`), which serves the same file with `gzip_static`,
 * alternately in one run. Both keep connections open; nginx logs no requests and has as many workers as Debian
 * configures.
 *
 *     bun bench/sites.ts [--record]
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContents } from '../src/hosting/sites/contents.ts'
import { createSite } from '../src/hosting/sites/site.ts'
import { createTestHosts } from '../src/hosting/testing/hosts.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { createListener } from '../src/server/listener.ts'
import { createStoredFiles, findIn } from '../src/testing/stored-files.ts'
import { median, report, wrk } from './measure.ts'

const rounds = 5
const seconds = 3
const connections = 32

const words =
  'the quick brown fox jumps over a lazy dog while seven wizards brew toxic jade potions by moonlight'.split(' ')
let seed = 7
let text = ''
while (text.length < 10_240) {
  seed = (seed * 48_271) % 2_147_483_647
  text += `${words[seed % words.length]} `
}
text = text.slice(0, 10_240)

const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'))
const files = createStoredFiles()
const site = createSite(findIn([files.add('text.txt', text, { isCompressed: true })]), {
  contents: createContents(files),
  log: silentLog,
})
const hosts = createTestHosts({ slugs: new Map([['ada', { site }]]) })
const listener = createListener({
  hostname: '127.0.0.1',
  port: 0,
  respond: (request, name = '') => hosts.respondOverHttps(request, name, name),
  log: silentLog,
  clock: systemClock,
  observe: () => {},
})
const nginx = await startNginx()
const headers = { Host: 'ada.stores.example' }

const rows: string[][] = []
for (const coding of ['identity', 'gzip']) {
  const load = { connections, seconds, headers: { ...headers, 'Accept-Encoding': coding } }
  const measured: { site: number; nginx: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const one = {
      site: await wrk({ ...load, url: `${listener.url}/text.txt` }),
      nginx: await wrk({ ...load, url: `${nginx.url}/text.txt` }),
    }
    // The first round warms both up.
    if (round > 0) measured.push(one)
  }
  const ratios = measured.map((one) => one.site / one.nginx)
  rows.push([
    `10 kB of text, ${coding}`,
    String(connections),
    Math.round(median(measured.map((one) => one.site))).toLocaleString('en'),
    Math.round(median(measured.map((one) => one.nginx))).toLocaleString('en'),
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
  ])
}
await Promise.all([nginx.stop(), listener.stop()])
files.remove()
rmSync(folder, { recursive: true })
report(
  'Sites against nginx with gzip_static',
  ['request', 'connections', 'site, requests/s', 'nginx, requests/s', 'ratio (median of rounds)', 'range'],
  rows,
)

async function startNginx() {
  const root = join(folder, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'text.txt'), text)
  writeFileSync(join(root, 'text.txt.gz'), Bun.gzipSync(text, { level: 9 }))
  const free = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = free
  await free.stop(true)
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
worker_processes auto;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 768; }
http {
  include /etc/nginx/mime.types;
  sendfile on; tcp_nopush on; access_log off; gzip_static on; gzip_vary on; keepalive_requests 100000000;
  client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
  uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
  )
  const child = Bun.spawn(['/usr/sbin/nginx', '-c', config], { stdout: 'inherit', stderr: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; ; attempt++) {
    const isUp = await fetch(`${url}/text.txt`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) break
    if (attempt === 100) throw new Error('nginx did not start')
    await Bun.sleep(50)
  }
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
