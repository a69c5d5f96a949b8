/**
 * A `Bun.serve` that can close all its connections and start again on the same port. Bun cannot limit the number of
 * connections or close a connection without a complete request. While the process has no free file descriptor, it tries
 * to accept connections in a loop without a pause.
 */

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export interface ReplaceableServer {
  readonly port: number
  /** Closes connections that wait for their next request; returns their number. */
  closeIdle(): number
  /** Finishes the requests in flight, closes every connection, and listens again. It accepts no connection meanwhile. */
  replace(): Promise<void>
  /** Stops accepting and waits for the requests in flight, then closes the connections that are left. */
  stop(): Promise<void>
}

/**
 * The longest time that stopping a server waits for requests in flight, in milliseconds. `docker stop` kills a process after
 * ten seconds: the last bytes of public listeners and the last saves need the rest of them.
 */
export const graceMs = 6_000

export interface ReplaceableServerParts {
  readonly log: Log
  readonly clock: Pick<Clock, 'after'>
}

/** Starts a server by `serve(port)`. Throws the error of `serve`. */
export function createReplaceableServer(
  serve: (port: number) => Bun.Server<unknown>,
  wantedPort: number,
  { log, clock }: ReplaceableServerParts,
): ReplaceableServer {
  let server = serve(wantedPort)
  let isStopped = false
  /** The replacement in progress. */
  let replacing = Promise.resolve()
  const port = server.port ?? wantedPort

  async function replace(): Promise<void> {
    await endServer(server, clock)
    let isReported = false
    while (!isStopped) {
      try {
        server = serve(port)
        return
      } catch (error) {
        if (!isReported)
          log.error(`the server cannot listen on port ${port} again; it is tried every second`, { error })
        isReported = true
        await Bun.sleep(1_000)
      }
    }
  }

  return {
    port,
    closeIdle: () => server.closeIdleConnections(),
    replace() {
      replacing = replace()
      return replacing
    },
    async stop() {
      isStopped = true
      await replacing
      await endServer(server, clock)
    },
  }
}

/** Stops a server when no request is in flight or the time is up, and closes the connections that are left. */
export async function endServer(server: Bun.Server<unknown>, clock: Pick<Clock, 'after'>): Promise<void> {
  const grace = Promise.withResolvers<void>()
  const cancel = clock.after(graceMs, grace.resolve)
  // Bun itself waits for connections with an incomplete head, too.
  const polling = setInterval(() => server.pendingRequests === 0 && grace.resolve(), 50)
  await Promise.race([server.stop(), grace.promise])
  clearInterval(polling)
  cancel()
  await server.stop(true)
}
