/**
 * An inner server: a `Bun.serve` that only the front of this process connects to. On a unix socket it is fast, but Bun
 * does not tell the connections of a unix socket apart. Where the address of the client is needed it listens on loopback,
 * and the port from which the front connects leads to the address.
 */

import { chmodSync, rmSync } from 'node:fs'
import { type Connection, idleSeconds } from '../../http/context.ts'
import { createHandler, type HandlerOptions } from '../handle.ts'
import { unboundedBytes } from '../listener.ts'
import { endServer } from '../replaceable-server.ts'
import type { Target } from './connection.ts'

export interface Certificate {
  /** The certificate and its chain, in PEM. */
  readonly cert: string
  /** The private key, in PEM. */
  readonly key: string
}

export interface InnerOptions extends Omit<HandlerOptions, 'connectionOf'> {
  /** Path of a unix socket; without one the server listens on loopback and knows the addresses of clients. */
  readonly socketPath: string | undefined
  readonly certificate?: Certificate
}

export interface InnerServer {
  /** The connections of the front, those in preparation included. */
  readonly connections: number
  /** For one further connection. */
  target(): Target
  /** To be called when no further connection is made: ends the server after the last of them. */
  retire(): void
  /** Closes all connections at once. */
  end(): void
  /** Waits for the requests in flight, then closes all connections. */
  stop(): Promise<void>
}

/** Starts an inner server. Throws the error of `Bun.serve`, for example for an unusable certificate. */
export function createInnerServer({ socketPath, certificate, ...options }: InnerOptions): InnerServer {
  /** The address of the client for each port from which the front is connected. */
  const clients = new Map<number, string>()
  const connectionOf = (server: Bun.Server<unknown>): Connection => ({
    requestIP(request) {
      const address = clients.get(server.requestIP(request)?.port ?? 0)
      return address === undefined ? null : { address }
    },
    timeout: (request, seconds) => server.timeout(request, seconds),
  })
  const { fetch, error } = createHandler({ ...options, connectionOf, isSecure: certificate !== undefined })
  const common = { fetch, error, maxRequestBodySize: unboundedBytes, idleTimeout: idleSeconds }
  const tls = certificate === undefined ? {} : { tls: { cert: certificate.cert, key: certificate.key } }
  const server =
    socketPath === undefined
      ? Bun.serve({ ...common, ...tls, hostname: '127.0.0.1', port: 0 })
      : Bun.serve({ ...common, ...tls, unix: socketPath } as Bun.Serve.Options<unknown, never>)
  if (socketPath !== undefined) chmodSync(socketPath, 0o600)
  const address = socketPath === undefined ? { hostname: '127.0.0.1', port: server.port ?? 0 } : { unix: socketPath }
  let connections = 0
  let isRetired = false
  let isEnded = false

  function end(): void {
    if (isEnded) return
    isEnded = true
    void server.stop(true)
    removeSocket()
  }

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
          if (isRetired && connections === 0) end()
        },
      }
    },
    retire() {
      isRetired = true
      if (connections === 0) end()
    },
    end,
    async stop() {
      if (isEnded) return
      isEnded = true
      await endServer(server, () => false)
      removeSocket()
    },
  }
}
