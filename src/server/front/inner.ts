/**
 * An inner server: a `Bun.serve` without TLS that only the front of this process connects to. On a unix socket it is fast,
 * but Bun does not tell the connections of a unix socket apart: there it serves one client, or clients whose addresses are
 * not needed. On loopback it serves all clients, and the port from which the front connects leads to the address.
 */

import { chmodSync, rmSync } from 'node:fs'
import { type Connection, idleSeconds } from '../../api/http/context.ts'
import { createHandler, type HandlerOptions } from '../handle.ts'
import { stopServer, unboundedBytes } from '../listener.ts'

/** An inner server, for one connection. */
export interface Target {
  readonly address: { readonly unix: string } | { readonly hostname: string; readonly port: number }
  /** The front is connected to the inner server; `localPort` is undefined for a unix socket. */
  onConnect?(localPort: number | undefined, clientAddress: string): void
  /** The connection has ended, or was never made. Called exactly once. */
  onClose?(localPort: number | undefined): void
}

/** Where an inner server listens. */
export type Place =
  | {
      readonly socketPath: string
      /** The address of the only client; undefined if addresses are not needed. */
      readonly client: string | undefined
    }
  | 'loopback'

export interface InnerOptions extends Omit<HandlerOptions, 'connectionOf'> {
  readonly place: Place
}

export interface InnerServer {
  /** The connections of the front, those in preparation included. */
  readonly connections: number
  /** For one further connection. */
  target(): Target
  /** Closes all connections at once. */
  end(): void
  /** Waits for the requests in flight, then closes all connections. */
  stop(): Promise<void>
}

/** Starts an inner server, in about 0.1 ms. Throws the error of `Bun.serve`. */
export function createInnerServer({ place, ...options }: InnerOptions): InnerServer {
  /** The address of the client for each port from which the front is connected. */
  const clients = new Map<number, string>()
  const { fetch, error } = createHandler({ ...options, connectionOf: (server) => connectionOf(server, place, clients) })
  const common = { fetch, error, maxRequestBodySize: unboundedBytes, idleTimeout: idleSeconds }
  const socketPath = place === 'loopback' ? undefined : place.socketPath
  const server =
    socketPath === undefined
      ? Bun.serve({ ...common, hostname: '127.0.0.1', port: 0 })
      : Bun.serve({ ...common, unix: socketPath } as Bun.Serve.Options<unknown, never>)
  if (socketPath !== undefined) chmodSync(socketPath, 0o600)
  const address = socketPath === undefined ? { hostname: '127.0.0.1', port: server.port ?? 0 } : { unix: socketPath }
  let connections = 0
  let isEnded = false

  function removeSocket(): void {
    if (socketPath !== undefined) rmSync(socketPath, { force: true })
  }

  return {
    get connections() {
      return connections
    },
    target() {
      connections++
      return {
        address,
        onConnect(localPort, clientAddress) {
          if (localPort !== undefined) clients.set(localPort, clientAddress)
        },
        onClose(localPort) {
          if (localPort !== undefined) clients.delete(localPort)
          connections--
        },
      }
    },
    end() {
      if (isEnded) return
      isEnded = true
      void server.stop(true)
      removeSocket()
    },
    async stop() {
      if (isEnded) return
      isEnded = true
      await stopServer(server, options.clock)
      removeSocket()
    },
  }
}

function connectionOf(server: Bun.Server<unknown>, place: Place, clients: ReadonlyMap<number, string>): Connection {
  const timeout = (request: Request, seconds: number) => server.timeout(request, seconds)
  if (place !== 'loopback') {
    const client = place.client === undefined ? null : { address: place.client }
    return { requestIP: () => client, timeout }
  }
  return {
    requestIP(request) {
      const address = clients.get(server.requestIP(request)?.port ?? 0)
      return address === undefined ? null : { address }
    },
    timeout,
  }
}
