/** The listener of one address and port, and the stop of a server. */

import { idleSeconds } from '../api/context.ts'
import type { Clock } from '../lib/clock.ts'
import { reachable } from '../lib/network.ts'
import { createHandler, type HandlerOptions } from './handle.ts'

export interface ListenerOptions extends HandlerOptions {
  readonly hostname: string
  readonly port: number
}

export interface Listener {
  readonly port: number
  /** Origin to reach it at, without a final slash. */
  readonly url: string
  /** Stops accepting and waits for the requests in flight, then closes the connections that are left. */
  stop(): Promise<void>
  /** Stops at once and closes every connection. */
  close(): Promise<void>
  /** Lets the process end while it listens. */
  unref(): void
}

/** Bodies are bounded by the API, which responds with 413; Bun's own bound would cut the connection. */
export const unboundedBytes = Number.MAX_SAFE_INTEGER

/** Starts listening. Throws the error of `Bun.serve` if that fails, for example because the port is in use. */
export function createListener(options: ListenerOptions): Listener {
  const { hostname, port: wantedPort, clock } = options
  const server = Bun.serve({
    hostname,
    port: wantedPort,
    maxRequestBodySize: unboundedBytes,
    // Without this option, Bun prints a line at each idle timeout.
    idleTimeout: idleSeconds,
    ...createHandler(options),
  })
  const port = server.port ?? wantedPort
  return {
    port,
    url: `http://${reachable(hostname)}:${port}`,
    stop: () => stopServer(server, clock),
    close: () => server.stop(true),
    unref: () => server.unref(),
  }
}

/**
 * The longest time that stopping a server waits for requests in flight, in milliseconds. `docker stop` kills a process
 * after ten seconds: the last bytes of public listeners and the last saves need the rest of them.
 */
export const graceMs = 6_000

/** Stops a server when no request is in flight or the time is up, and closes the connections that are left. */
export async function stopServer(server: Bun.Server<unknown>, clock: Pick<Clock, 'after'>): Promise<void> {
  const grace = Promise.withResolvers<void>()
  const cancel = clock.after(graceMs, grace.resolve)
  // Bun alone would also wait for connections with an incomplete head.
  const polling = setInterval(() => server.pendingRequests === 0 && grace.resolve(), 50)
  await Promise.race([server.stop(), grace.promise])
  clearInterval(polling)
  cancel()
  await server.stop(true)
}
