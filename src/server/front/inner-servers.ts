/**
 * The inner servers: each is a `Bun.serve` without TLS on a unix socket, to which only the front of this process
 * connects. There is one for each name, so the connections of a name serve that name alone (RFC 9110 section 7.4) and a
 * name that is removed takes its connections with it. Bun cannot distinguish the clients of a unix socket, so where
 * their addresses are needed, each client of a name has a server. A server is started by its first connection, in 0.1
 * ms.
 */

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idleSeconds } from '../../api/context.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createHandler, type HandlerOptions } from '../handle.ts'
import { stopServer, unboundedBytes } from '../listener.ts'

/** An inner server, for one connection. */
export interface Target {
  readonly socketPath: string
  /** To be called exactly once, when the connection has ended or could not be established. */
  release(): void
}

export interface InnerServersOptions {
  readonly handlerOf: (name: string) => Omit<HandlerOptions, 'requestIP'>
  /** Whether the handler of a name must know the addresses of its clients. */
  readonly needsAddresses: (name: string) => boolean
  /** Directory of the sockets; it is created and removed. */
  readonly socketDirectory: string
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}

export interface InnerServers {
  /** For one connection of `client`, an address, to `name`; undefined if no server can be started. */
  target(name: string, client: string): Target | undefined
  /** Ends the servers, and so the connections, of the names that are no longer served. */
  endExcept(isServed: (name: string) => boolean): void
  /** Waits for the requests in flight, then closes all connections. */
  stop(): Promise<void>
}

/**
 * While there are more servers than this, a server ends with its last connection. Each takes about 13 kB and a
 * descriptor.
 */
const keptServers = 256

interface InnerServer {
  readonly name: string
  readonly server: Bun.Server<unknown>
  readonly socketPath: string
  /** The connections of the front, those in preparation included. */
  connections: number
}

/** Throws the error of the system if no directory for the sockets can be made. */
export function createInnerServers(options: InnerServersOptions): InnerServers {
  const { handlerOf, needsAddresses, clock, log } = options
  const directory = makeSocketDirectory(options.socketDirectory)
  /** By name and client. */
  const running = new Map<string, InnerServer>()
  let started = 0

  function startServer(name: string, client: string | undefined): InnerServer | undefined {
    const socketPath = join(directory, String(++started))
    const peer = client === undefined ? null : { address: client }
    const { fetch, error } = createHandler({ ...handlerOf(name), requestIP: () => peer })
    const common = { fetch, error, maxRequestBodySize: unboundedBytes, idleTimeout: idleSeconds }
    try {
      const server = Bun.serve({ ...common, unix: socketPath } as Bun.Serve.Options<unknown, never>)
      chmodSync(socketPath, 0o600)
      return { name, server, socketPath, connections: 0 }
    } catch (cause) {
      log.error('connections are closed, because an inner server cannot be started', { name, error: cause })
      return undefined
    }
  }

  function end(key: string, { server, socketPath }: InnerServer): void {
    running.delete(key)
    void server.stop(true)
    rmSync(socketPath, { force: true })
  }

  return {
    target(name, client) {
      const only = needsAddresses(name) ? client : undefined
      const key = only === undefined ? name : `${name} ${only}`
      const inner = running.get(key) ?? startServer(name, only)
      if (inner === undefined) return undefined
      running.set(key, inner)
      inner.connections++
      return {
        socketPath: inner.socketPath,
        release() {
          inner.connections--
          if (inner.connections === 0 && running.size > keptServers && running.get(key) === inner) end(key, inner)
        },
      }
    },
    endExcept(isServed) {
      for (const [key, inner] of running) if (!isServed(inner.name)) end(key, inner)
    },
    async stop() {
      await Promise.all([...running.values()].map(({ server }) => stopServer(server, clock)))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The longest path that a unix socket can have on every system (`sun_path` has 104 bytes on macOS, 108 on Linux). */
const maximumPathBytes = 103

/**
 * Creates a directory that only the owner of the process can open, and removes the sockets that a killed process has
 * left there. It is a temporary directory if the path is too long or can't be written.
 */
function makeSocketDirectory(path: string): string {
  try {
    if (Buffer.byteLength(path) + '/1000000'.length > maximumPathBytes) throw new Error('the path is too long')
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    for (const name of readdirSync(path)) rmSync(join(path, name), { force: true })
    return path
  } catch {
    return mkdtempSync(join(tmpdir(), 'petstore-sockets-'))
  }
}
