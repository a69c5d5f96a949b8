/** A store with certificates, a fake authority and a listener for challenges, on a clock that the test moves. */

import { createAnnouncements } from '../../../database/announcements.ts'
import { openDatabase } from '../../../database/open.ts'
import { createWriter } from '../../../database/writer.ts'
import { type Clock, createManualClock } from '../../../lib/clock.ts'
import { createLog } from '../../../lib/log.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { testStart } from '../../../testing/harness.ts'
import { type CertificateNames, type CertificatesOptions, createCertificates } from '../create.ts'
import type { WantedCertificate } from '../names.ts'
import { startFakeCa } from './fake-ca.ts'

/** Waits up to this long, such as those between two looks at an order, pass by themselves. */
const passingMs = 29_999

export type WorldOptions = Partial<CertificatesOptions & CertificateNames>

/** `offsetMs`: by how much the clock of the authority is ahead. */
export async function openWorld(options: WorldOptions = {}, offsetMs = () => 0) {
  const folder = emptyFolder()
  const manual = createManualClock(testStart)
  // The clock moves while an order waits for the authority. Timeouts of requests are longer, and do not pass.
  const clock: Clock = {
    ...manual,
    after(delayMs, task) {
      if (delayMs <= passingMs) setImmediate(() => manual.advance(delayMs))
      return manual.after(delayMs, task)
    },
  }
  const web = { respond: (hostname: string, token: string) => certificates.challengeResponse(hostname, token) }
  const challenges = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      const token = pathname.replace('/.well-known/acme-challenge/', '')
      const text = web.respond(request.headers.get('host') ?? '', token)
      return new Response(text ?? 'Not Found', { status: text === undefined ? 404 : 200 })
    },
  })
  const ca = await startFakeCa({ now: () => clock.now() + offsetMs(), httpPort: () => challenges.port ?? 0 })
  const logged: string[] = []
  const log = createLog({ level: 'info', json: false, now: clock.now, write: (line) => logged.push(line) })
  const database = openDatabase(`${folder.path}/test.db`, 0)
  const announcements = createAnnouncements(log)
  const writer = createWriter(database.connection, clock, announcements.transaction, {
    blocked: () => undefined,
    writeFailed: () => 'disk_error',
  })
  const wanted = new Map<string, WantedCertificate>()
  const open = (changed: WorldOptions = {}) => {
    const all = { ...options, ...changed }
    const created = createCertificates({
      tables: database.tables,
      writer,
      announcements,
      clock,
      log,
      filesDirectory: `${folder.path}/certificates`,
      acmeDirectory: ca.directoryUrl,
      random: () => 0.5,
      ...all,
    })
    const names: CertificateNames = {
      wanted: () => wanted.values(),
      checkBeforeOrder: async () => ({ verdict: 'allowed', warnings: [] }),
      addToHistory() {},
      ...all,
    }
    return { ...created, jobs: created.jobs(names) }
  }
  let certificates = open()
  await certificates.open()

  async function run(name: string): Promise<void> {
    await certificates.jobs.find((job) => job.name === name)?.run(new AbortController().signal)
  }

  return {
    ca,
    clock: manual,
    web,
    logged,
    folder: folder.path,
    database,
    announcements,
    get certificates() {
      return certificates
    },
    want(hostname: string, accountId: number | null = 1, kind: WantedCertificate['kind'] = 'domain'): void {
      wanted.set(hostname, { hostname, accountId, kind })
      certificates.wake()
    },
    unwant(hostname: string): void {
      wanted.delete(hostname)
      certificates.wake()
    },
    /** Runs the job that orders, and waits for the orders. */
    async order(): Promise<void> {
      certificates.wake()
      await run('order certificates')
      await certificates.settled()
    },
    /** Starts the orders that are due, and does not wait for them. */
    start: () => run('order certificates'),
    queryRenewals: () => run('query renewal information'),
    sweep: () => run('delete old certificates'),
    /** Stops and starts the service. */
    async restart(changed: WorldOptions = {}): Promise<void> {
      await certificates.close()
      certificates = open(changed)
      await certificates.open()
    },
    async close(): Promise<void> {
      await certificates.close()
      await ca.stop()
      await challenges.stop(true)
      database.close()
      folder.remove()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>
