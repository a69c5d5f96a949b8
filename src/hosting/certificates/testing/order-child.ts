/**
 * Orders certificates in a separate process, which tests kill. Its one argument is JSON (`OrderChildSettings`). It
 * prints the name of each certificate when it is in use.
 */

import { createAnnouncements } from '../../../database/announcements.ts'
import { openDatabase } from '../../../database/open.ts'
import { createWriter } from '../../../database/writer.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createLog } from '../../../lib/log.ts'
import { schedule } from '../../../lib/scheduler.ts'
import { createCertificates } from '../create.ts'

export interface OrderChildSettings {
  readonly folder: string
  readonly directoryUrl: string
  /** Serves the challenges. */
  readonly httpPort: number
  readonly hostnames: readonly string[]
  readonly email?: string
  readonly eab?: { readonly kid: string; readonly key: string }
}

async function main(settings: OrderChildSettings): Promise<void> {
  const { folder, directoryUrl, httpPort, hostnames, email, eab } = settings
  const log = createLog({ level: 'info', json: false, now: Date.now, write: (line) => console.error(line.trimEnd()) })
  const database = openDatabase(`${folder}/test.db`, 0)
  const announcements = createAnnouncements(log)
  const writer = createWriter(database.connection, systemClock, announcements.transaction, {
    blocked: () => undefined,
    writeFailed: () => 'disk_error',
  })
  const certificates = createCertificates({
    tables: database.tables,
    writer,
    announcements,
    clock: systemClock,
    log,
    filesDirectory: `${folder}/certificates`,
    acmeDirectory: directoryUrl,
    acmeEmail: email,
    acmeEab: eab,
  })
  const jobs = certificates.jobs({
    wanted: () => hostnames.map((hostname) => ({ hostname, accountId: 1, kind: 'domain' as const })),
    checkBeforeOrder: async () => ({ verdict: 'allowed', warnings: [] }),
    addToHistory() {},
  })
  Bun.serve({
    port: httpPort,
    hostname: '127.0.0.1',
    fetch(request) {
      const token = new URL(request.url).pathname.replace('/.well-known/acme-challenge/', '')
      const host = (request.headers.get('host') ?? '').replace(/:\d+$/, '')
      const text = certificates.challengeResponse(host, token)
      return new Response(text ?? 'Not Found', { status: text === undefined ? 404 : 200 })
    },
  })
  await certificates.open()
  const printed = new Set<string>()
  const print = {
    name: 'print the names that have a certificate in use',
    everyMs: 50,
    run() {
      const missing = [...certificates.usable()].filter(({ serverName }) => !printed.has(serverName))
      for (const { serverName } of missing) {
        printed.add(serverName)
        console.log(serverName)
      }
    },
  }
  schedule([...jobs.map((job) => ({ ...job, everyMs: Math.min(job.everyMs, 50) })), print], systemClock, log)
}

void main(JSON.parse(Bun.argv[2] ?? '{}') as OrderChildSettings)
