/** A real listener on loopback for tests of sites, with the lines that it logs. */

import type { Site } from '../api/host.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createListener } from '../server/listener.ts'
import { sendRaw } from './send-raw.ts'

export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  /** One character for each byte. */
  readonly body: string
}

export function createSiteListener(siteOf: (host: string | undefined, request: Request) => Site) {
  const logged: string[] = []
  const statuses: string[] = []
  const listener = createListener({
    hostname: '127.0.0.1',
    port: 0,
    respond: (request, host) => siteOf(host, request)(request),
    log: testLog(logged),
    clock: systemClock,
    observe: ({ method }, { operation = '', errorCode = '' }, status) => {
      statuses.push([method, operation, status, errorCode].join(' ').trim())
    },
  })
  return {
    ...listener,
    logged,
    /** Method, operation, status and error code of each response, as the metrics and the request log receive them. */
    statuses,
    /** Sends a request without decoding the response. */
    send(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> {
      // Without this, fetch adds its own codings.
      const init = { method, headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' as const }
      return fetch(listener.url + path, { ...init, decompress: false })
    },
    /** Sends the lines of a request head as they are, on a separate connection. */
    async sendLines(...lines: readonly string[]): Promise<RawResponse> {
      const text = await sendRaw(listener.port, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
      const end = text.indexOf('\r\n\r\n')
      const [statusLine = '', ...fields] = text.slice(0, end).split('\r\n')
      const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
      return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) }
    },
  }
}

/** A log that appends its lines to an array. */
export function testLog(lines: string[]) {
  return createLog({ level: 'info', json: false, now: () => 0, write: (line) => lines.push(line) })
}
