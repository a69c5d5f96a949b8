/**
 * A server that may be killed and started again, and requests to it. Checks in every response what is true of all of
 * them: no error of the server but `storage_unavailable`, and that only while another process had the write lock.
 */

import { expect } from 'bun:test'
import { runPetstore, startPetstoreProcess } from '../executable.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the members of a body are asserted where it is read
  readonly json: any
  readonly headers: Headers
  /** When it was sent, in milliseconds of `performance.now()`. */
  readonly sentMs: number
}

export interface Sent {
  readonly body?: object
  readonly idempotencyKey?: string | undefined
  /** Another key than the one with all scopes. */
  readonly key?: string
}

/** The server was killed before it had responded. */
export class ConnectionLost extends Error {}

/**
 * The minimum time for which another process had the lock when a write is rejected: 5 s, less a tolerance for a busy
 * machine.
 */
const leastHoldMs = 4_000

export type Client = Awaited<ReturnType<typeof startClient>>

export async function startClient(cwd: string) {
  let server = await startPetstoreProcess([], { cwd })
  let ready: Promise<unknown> = Promise.resolve()
  let starts = 1
  const holds: { readonly fromMs: number; untilMs: number }[] = []
  let exclusive: Promise<unknown> = Promise.resolve()
  const plan = ['--plan', 'enterprise', '--per-minute', '10000000', '--per-day', '100000000', '--scope', 'admin']
  const ownKey: string = JSON.parse(
    (await runPetstore(['keys', 'create', '--name', 'Load', ...plan, '--json'], { cwd })).out,
  ).key

  /** Throws `ConnectionLost` if the server is killed meanwhile. */
  async function send(method: string, path: string, { body, idempotencyKey, key = ownKey }: Sent = {}): Promise<Reply> {
    await ready
    const start = starts
    const sentMs = performance.now()
    try {
      const response = await fetch(`${server.ready.url}/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body ? { 'Content-Type': 'application/json' } : {}),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      const { status, headers } = response
      const reply = { status, json: text ? JSON.parse(text) : undefined, headers, sentMs }
      assertNoFault(method, reply)
      return reply
    } catch (error) {
      if (starts !== start) throw new ConnectionLost()
      throw error
    }
  }

  function assertNoFault(method: string, { status, json, headers, sentMs }: Reply): void {
    expect([status, json?.code]).not.toEqual([429, json?.code])
    if (status < 500) return
    expect([method === 'GET', status, json?.code]).toEqual([false, 503, 'storage_unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const nowMs = performance.now()
    const heldMs = holds.map(({ fromMs, untilMs }) => Math.min(untilMs, nowMs) - Math.max(fromMs, sentMs))
    expect(Math.max(0, ...heldMs)).toBeGreaterThan(leastHoldMs)
  }

  return {
    cwd,
    send,
    /** How often the server was started. */
    starts: () => starts,
    /** A GET that must succeed; sent again to the next server if this one is killed. */
    async read(path: string, key = ownKey): Promise<Reply> {
      for (;;) {
        try {
          return await send('GET', path, { key })
        } catch (error) {
          if (!(error instanceof ConnectionLost)) throw error
        }
      }
    },
    /** A request whose outcome may be unknown: undefined if the connection was lost or the response says so. */
    async attempt(method: string, path: string, sent: Sent = {}): Promise<Reply | undefined> {
      try {
        const reply = await send(method, path, sent)
        return reply.status === 503 && /is unknown whether/.test(reply.json.message) ? undefined : reply
      } catch (error) {
        if (error instanceof ConnectionLost) return undefined
        throw error
      }
    },
    /** Kills the server with SIGKILL and starts it again; requests wait until it is ready. */
    restart: () =>
      alone(async () => {
        starts++
        const started = server.kill().then(() => startPetstoreProcess([], { cwd }))
        ready = started.catch(() => {})
        server = await started
      }),
    /** Notes that another process has the write lock while `work` runs. No server starts during that time. */
    holding: (work: () => Promise<void>) =>
      alone(async () => {
        const hold = { fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY }
        holds.push(hold)
        try {
          await work()
        } finally {
          hold.untilMs = performance.now()
        }
      }),
    stop: () => server.stop(),
    kill: () => server.kill(),
  }

  function alone(work: () => Promise<void>): Promise<void> {
    const done = exclusive.then(work)
    exclusive = done.catch(() => {})
    return done
  }
}

/** The URL of the next page. */
export function nextOf({ headers }: Reply): string | undefined {
  return /\/v1([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
}
