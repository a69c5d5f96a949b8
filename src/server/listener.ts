/**
 * A listener: one address and port with its own table of hosts. The listener and the Host header select the site that
 * serves a request, before the path is read. The request's context has the address of the peer.
 */

import { idleSeconds } from '../api/http/context.ts'
import { reachable } from '../lib/network.ts'
import { schedule } from '../lib/scheduler.ts'
import { descriptorJob } from './descriptors.ts'
import { createHandler, type HandlerOptions } from './handle.ts'
import { createReplaceableServer } from './replaceable-server.ts'

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
}

/** Bodies are bounded by the API, which responds with 413; Bun's own bound would cut the connection. */
export const unboundedBytes = Number.MAX_SAFE_INTEGER

/** Starts listening. Throws the error of `Bun.serve` if that fails, for example because the port is in use. */
export function createListener(options: ListenerOptions): Listener {
  const { hostname, port, log, clock } = options
  const handler = createHandler(options)
  const serve = (wantedPort: number) =>
    Bun.serve({
      hostname,
      port: wantedPort,
      maxRequestBodySize: unboundedBytes,
      // If it is not set, Bun prints a line when it passes.
      idleTimeout: idleSeconds,
      ...handler,
    })
  const server = createReplaceableServer(serve, port, options)
  const shortage = descriptorJob({ log, clock, closeIdle: server.closeIdle, closeAll: server.replace })
  const checks = schedule([shortage], clock, log)
  return {
    port: server.port,
    url: `http://${reachable(hostname)}:${server.port}`,
    async stop() {
      await checks.stop()
      await server.stop()
    },
  }
}
