/**
 * The inner servers: one for each name, or for each client of a name where the addresses of clients are needed. They are
 * started by the first connection. So the connections of a name serve that name alone (RFC 9110 section 7.4), a name that
 * is removed takes its connections with it, and thousands of names and clients cost nothing until they connect.
 */

import type { Log } from '../../lib/log.ts'
import type { InnerServer, Place, Target } from './inner.ts'

export interface InnerServersOptions {
  /** Starts the server of a name. */
  readonly start: (name: string, place: Place) => InnerServer
  /** Whether the servers of a name must know the addresses of their clients. */
  readonly needsAddresses: (name: string) => boolean
  /** The number of servers beyond which those without connections are ended. Each takes about 13 kB and a descriptor. */
  readonly keptServers: number
  /** A path for a new unix socket; undefined if there can be none. */
  readonly nextSocketPath: () => string | undefined
  readonly log: Log
}

export interface InnerServers {
  /** For one connection of `client`, an address, to `name`; undefined if no server can be started. */
  target(name: string, client: string): Target | undefined
  /** Ends the servers, and so the connections, of the names that are not served any more. */
  endExcept(isServed: (name: string) => boolean): void
  /** Waits for the requests in flight, then closes all connections. */
  stop(): Promise<void>
}

interface Running {
  readonly name: string
  readonly server: InnerServer
}

export function createInnerServers(options: InnerServersOptions): InnerServers {
  const { start, needsAddresses, keptServers, nextSocketPath, log } = options
  /** By name and client; the least recently used first. */
  const running = new Map<string, Running>()

  /** Ends servers without connections while there are too many; returns whether another may be started. */
  function makeRoom(): boolean {
    if (running.size < keptServers) return true
    for (const [key, { server }] of running) {
      if (server.connections > 0) continue
      running.delete(key)
      server.end()
      if (running.size < keptServers) return true
    }
    return false
  }

  function use(key: string): InnerServer | undefined {
    const known = running.get(key)
    if (known === undefined) return undefined
    running.delete(key)
    running.set(key, known)
    return known.server
  }

  function startOne(key: string, name: string, place: Place): InnerServer | undefined {
    try {
      const server = start(name, place)
      running.set(key, { name, server })
      return server
    } catch (error) {
      log.error('connections are closed, because an inner server cannot be started', { name, error })
      return undefined
    }
  }

  return {
    target(name, client) {
      const only = needsAddresses(name) ? client : undefined
      const key = only === undefined ? name : `${name} ${only}`
      const known = use(key)
      if (known !== undefined) return known.target()
      const hasRoom = makeRoom()
      const socketPath = hasRoom || only === undefined ? nextSocketPath() : undefined
      if (socketPath !== undefined) return startOne(key, name, { socketPath, client: only })?.target()
      // With very many clients at once, or without unix sockets, clients share a server.
      return (use(name) ?? startOne(name, name, 'loopback'))?.target()
    },
    endExcept(isServed) {
      for (const [key, { name, server }] of running) {
        if (isServed(name)) continue
        running.delete(key)
        server.end()
      }
    },
    async stop() {
      await Promise.all([...running.values()].map(({ server }) => server.stop()))
    },
  }
}
