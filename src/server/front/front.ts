/**
 * A front accepts the connections of a public port, reads their first bytes, ends TLS, and passes the requests on to
 * the inner server that the first bytes select. It keeps slow, silent and too many connections away from the inner
 * servers.
 */

import type { Clock } from '../../lib/clock.ts'
import type { Job } from '../../lib/scheduler.ts'
import { Connection, type ConnectionOptions, clientEvents } from './connection.ts'
import type { ConnectionLimits } from './limits.ts'
import { createTargetInspector } from './request-target.ts'
import { createPacer } from './tls.ts'

export interface FrontOptions {
  readonly hostname: string
  readonly port: number
  readonly limits: ConnectionLimits
  readonly clock: Pick<Clock, 'monotonic'>
  /** Chooses the certificate and the inner server by all bytes that a client has sent so far. */
  readonly open: ConnectionOptions['open']
}

/** Connections by their outcome. */
export type FrontCounts = Readonly<Record<'accepted' | 'overLimit' | 'rejected' | 'tooSlow' | 'unreachable', number>>

export interface Front {
  readonly port: number
  readonly counts: FrontCounts
  /** Closes the connections whose opening takes too long. */
  readonly job: Job
  /** Stops accepting. */
  stopAccepting(): void
  /** Resolves when no connection is left. */
  readonly whenEmpty: () => Promise<void>
  /** Closes the connections that are left. */
  close(): void
}

/** The time that a client has until it may send requests, in milliseconds. */
export const openingMs = 15_000

/** The rest of a handshake is read once or twice, and Bun reads five sockets in one turn (`createPacer`). */
const handshakesPerTurn = 2

/** Starts a front. Throws the error of `Bun.listen` if it can't listen. */
export function createFront({ hostname, port, limits, clock, open }: FrontOptions): Front {
  const counts = { accepted: 0, overLimit: 0, rejected: 0, tooSlow: 0, unreachable: 0 }
  const connections = new Set<Connection>()
  /** Connections that have not finished their opening, the oldest first. */
  const opening = new Set<Connection>()
  const emptied: (() => void)[] = []
  let wakeJob = () => {}
  const pacer = createPacer(handshakesPerTurn)

  function closeSlow(connection: Connection): void {
    counts.tooSlow++
    connection.close()
  }

  function accept(socket: Bun.Socket<Connection | undefined>): void {
    // Silent clients must not exclude others.
    const [oldest] = opening
    if (limits.isFull && oldest !== undefined) closeSlow(oldest)
    const address = socket.remoteAddress
    const release = limits.isFull ? undefined : limits.admit(address)
    if (release === undefined) {
      counts.overLimit++
      socket.terminate()
      return
    }
    counts.accepted++
    // Otherwise Bun would report a timeout after two minutes, even of an active connection. The inner servers have
    // theirs.
    socket.timeout(0)
    const options: ConnectionOptions = {
      open,
      inspector: createTargetInspector(),
      pacer,
      onOpened: () => opening.delete(connection),
      onFailure(kind) {
        counts[kind]++
      },
      onClosed() {
        connections.delete(connection)
        release()
        if (connections.size === 0) for (const resolve of emptied.splice(0)) resolve()
      },
    }
    const connection = new Connection(socket, address, clock.monotonic(), options)
    connections.add(connection)
    opening.add(connection)
    wakeJob()
    socket.data = connection
  }

  const listener = Bun.listen<Connection | undefined>({
    hostname,
    port,
    allowHalfOpen: true,
    socket: { ...clientEvents, open: accept },
  })

  return {
    port: listener.port,
    counts,
    job: {
      name: 'close connections that do not begin a request',
      everyMs: 1_000,
      idleMs: () => (opening.size > 0 ? undefined : Number.POSITIVE_INFINITY),
      wokenBy(wake) {
        wakeJob = wake
      },
      run() {
        const latestMs = clock.monotonic() - openingMs
        for (const connection of opening) {
          if (connection.openedMs > latestMs) return
          closeSlow(connection)
        }
      },
    },
    stopAccepting: () => listener.stop(),
    whenEmpty: () =>
      connections.size === 0 ? Promise.resolve() : new Promise((resolve) => void emptied.push(resolve)),
    close() {
      listener.stop(true)
      for (const connection of connections) connection.close()
    },
  }
}
