/**
 * A client's connection to a front, and the connection of the front to the inner server that the first bytes select.
 */

import type { Target } from './inner-servers.ts'
import type { Inspector } from './request-target.ts'
import { type Opening, type Pacer, type SecureContext, secure } from './tls.ts'

/** The functions of the front for a connection. */
export interface ConnectionOptions {
  /** Decides how the connection continues, by all bytes that the client has sent so far. */
  readonly open: (bytes: Buffer) => Opening
  readonly inspector: Inspector
  /** Paces the handshakes. */
  readonly pacer: Pacer
  /** The client may send requests, or its connection has ended. */
  readonly onOpened: () => void
  /** The inner server can't be reached, a rejection is sent, or the handshake has failed. */
  readonly onFailure: (kind: 'unreachable' | 'rejected') => void
  /** The client's connection has ended. */
  readonly onClosed: () => void
}

type ClientSocket = Bun.Socket<Connection | undefined>

type State = 'opening' | 'securing' | 'connecting' | 'open' | 'closing' | 'closed'

/** The time that a client has for the last bytes of its connection, and for the next waiting bytes, in seconds. */
const [closingSeconds, stalledSeconds] = [30, 60]

const nothing = Buffer.alloc(0)

/** Handles the events of a client's socket. `data` is the connection. */
export const clientEvents = {
  data: (socket, bytes) => socket.data?.fromClient(bytes),
  drain: (socket) => socket.data?.clientDrained(),
  end: (socket) => socket.data?.clientEnded(),
  close: (socket) => socket.data?.clientClosed(),
  timeout: (socket) => socket.data?.close(),
  error: (socket) => socket.data?.close(),
} satisfies Bun.SocketHandler<Connection | undefined>

const securedEvents: Bun.SocketHandler<Connection | undefined> = {
  ...clientEvents,
  open: (socket) => socket.data?.securing(socket),
  handshake: (socket, isSuccessful) => socket.data?.secured(isSuccessful),
}

const innerEvents: Bun.SocketHandler<Connection> = {
  open: (socket) => socket.data.connected(socket),
  data: (socket, bytes) => socket.data.fromInner(bytes),
  drain: (socket) => socket.data.innerDrained(),
  end: (socket) => socket.data.innerClosed(),
  close: (socket) => socket.data.innerClosed(),
  error: (socket) => socket.data.innerClosed(),
  connectError: (socket) => socket.data.innerClosed(),
}

export class Connection {
  /** Milliseconds of the monotonic clock. */
  readonly openedMs: number
  readonly #options: ConnectionOptions
  readonly #address: string
  #client: ClientSocket
  #state: State = 'opening'
  /** The bytes that the client sent before there was a connection to the inner server. */
  #first: Buffer = nothing
  /** The client sends nothing more; it may still read. */
  #hasEnded = false
  #findTarget: ((clientAddress: string) => Target | undefined) | undefined
  #target: Target | undefined
  #inner: Bun.Socket<Connection> | undefined
  #toInner: Relay | undefined
  #toClient: Relay | undefined

  constructor(client: ClientSocket, address: string, openedMs: number, options: ConnectionOptions) {
    this.#client = client
    this.#address = address
    this.openedMs = openedMs
    this.#options = options
  }

  fromClient(bytes: Buffer): void {
    if (this.#state === 'open') {
      this.#forward(bytes)
    } else if (this.#state === 'opening' || this.#state === 'securing' || this.#state === 'connecting') {
      this.#first = this.#first.length === 0 ? bytes : Buffer.concat([this.#first, bytes])
      if (this.#state === 'opening') this.#open()
    }
  }

  /** The handshake begins, on another socket. */
  securing(client: ClientSocket): void {
    this.#client = client
  }

  /** The handshake has ended. */
  secured(isSuccessful: boolean): void {
    if (this.#state !== 'securing') return
    if (isSuccessful) {
      this.#connect()
    } else {
      // Bun sends an alert and closes the connection.
      this.#options.onFailure('rejected')
    }
  }

  clientDrained(): void {
    this.#toClient?.drain()
  }

  /** The client has closed its direction of the connection. It still gets the response to what it has sent. */
  clientEnded(): void {
    this.#hasEnded = true
    if (this.#state === 'open') this.#shutDownInner()
    else if (this.#state === 'opening' || this.#state === 'securing') this.#client.end()
  }

  clientClosed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#leaveInner()
    this.#options.onOpened()
    this.#options.onClosed()
  }

  /** Closes both sides at once. */
  close(): void {
    this.clientClosed()
    this.#client.terminate()
  }

  #open(): void {
    const opened = this.#options.open(this.#first)
    if (opened === undefined) return
    if ('rejection' in opened) {
      this.#reject(opened.rejection)
      return
    }
    const { context } = opened
    this.#findTarget = opened.target
    if (context === undefined) {
      this.#connect()
      return
    }
    this.#state = 'securing'
    let hasBegun = false
    this.#options.pacer.run(() => {
      hasBegun = true
      if (this.#state === 'securing') this.#secure(context)
    })
    // Meanwhile, further bytes wait in the system.
    if (!hasBegun) this.#client.pause()
  }

  #secure(context: SecureContext): void {
    const [hello, socket] = [this.#first, this.#client]
    this.#first = nothing
    // From now on this socket has the encrypted bytes, and another one the events.
    socket.data = undefined
    try {
      secure<Connection | undefined>(socket, context, hello, this, securedEvents)
    } catch {
      this.close()
    }
  }

  #connect(): void {
    const target = this.#findTarget?.(this.#address)
    if (target === undefined) {
      this.#options.onFailure('unreachable')
      this.close()
      return
    }
    this.#state = 'connecting'
    this.#target = target
    this.#options.onOpened()
    // Meanwhile, further bytes wait in the system.
    this.#client.pause()
    Bun.connect<Connection>({
      unix: target.socketPath,
      data: this,
      socket: innerEvents,
      allowHalfOpen: true,
    }).catch(() => this.innerClosed())
  }

  connected(inner: Bun.Socket<Connection>): void {
    if (this.#state !== 'connecting' || this.#target === undefined) {
      inner.end()
      return
    }
    this.#state = 'open'
    this.#inner = inner
    this.#toInner = new Relay(this.#client, inner, 0)
    this.#toClient = new Relay(inner, this.#client, stalledSeconds)
    this.#client.resume()
    if (this.#first.length > 0) this.#forward(this.#first)
    this.#first = nothing
    this.#shutDownInner()
  }

  /**
   * The inner server closes the connection as for a direct client: after the response, unless its handler is still
   * waiting.
   */
  #shutDownInner(): void {
    if (this.#hasEnded && !this.#toInner?.isBlocked) this.#inner?.shutdown()
  }

  #forward(bytes: Buffer): void {
    const passed = this.#options.inspector.fromClient(bytes)
    if ('rejection' in passed) this.#reject(passed.rejection)
    else if (passed.length > 0) this.#toInner?.send(passed)
  }

  fromInner(bytes: Buffer): void {
    if (this.#state !== 'open') return
    this.#options.inspector.fromServer(bytes)
    this.#toClient?.send(bytes)
  }

  innerDrained(): void {
    this.#toInner?.drain()
    this.#shutDownInner()
  }

  /** The connection to the inner server has ended or was never established. */
  innerClosed(): void {
    if (this.#state === 'connecting') {
      this.#options.onFailure('unreachable')
      this.close()
    } else if (this.#state === 'open') {
      this.#state = 'closing'
      this.#leaveInner()
      this.#client.timeout(closingSeconds)
      this.#toClient?.end()
    }
  }

  #reject(bytes: Uint8Array): void {
    this.#state = 'closing'
    this.#options.onOpened()
    this.#options.onFailure('rejected')
    this.#leaveInner()
    this.#client.timeout(closingSeconds)
    this.#client.end(bytes)
  }

  #leaveInner(): void {
    const target = this.#target
    if (target === undefined) return
    this.#target = undefined
    this.#inner?.end()
    target.release()
  }
}

/** The part of a Bun socket that a relay uses. */
interface RelaySocket {
  /** Returns the number of bytes that were taken, which may be fewer; negative if the socket is closed. */
  write(bytes: Uint8Array): number
  end(): void
  pause(): void
  resume(): void
  /** Reports a timeout after this many seconds; never if 0. */
  timeout(seconds: number): void
}

/**
 * One direction of a connection: moves bytes from one socket to another and lets a slow receiver slow down the sender.
 * While the sender is paused, Bun does not report that it has closed, so a receiver that takes nothing needs a timeout.
 */
export class Relay {
  readonly #from: RelaySocket
  readonly #to: RelaySocket
  readonly #stalledSeconds: number
  /** The bytes that the receiver has not taken. */
  #left: Uint8Array[] = []
  #endsAfter = false

  /** The receiver has a timeout if it takes none of the waiting bytes for `stalledSeconds`; never if 0. */
  constructor(from: RelaySocket, to: RelaySocket, stalledSeconds: number) {
    this.#from = from
    this.#to = to
    this.#stalledSeconds = stalledSeconds
  }

  /** Whether bytes wait for the receiver. The sender is paused then. */
  get isBlocked(): boolean {
    return this.#left.length > 0
  }

  send(bytes: Uint8Array): void {
    const taken = this.isBlocked ? 0 : this.#to.write(bytes)
    if (taken < 0 || taken === bytes.length) return
    this.#left.push(bytes.subarray(taken))
    if (this.#left.length > 1) return
    this.#from.pause()
    this.#to.timeout(this.#stalledSeconds)
  }

  /** To be called when the receiver takes bytes again. */
  drain(): void {
    if (this.#left.length === 0) return
    while (this.#left.length > 0) {
      const [first = new Uint8Array()] = this.#left
      const taken = this.#to.write(first)
      if (taken < 0) return
      if (taken > 0 && !this.#endsAfter) this.#to.timeout(this.#stalledSeconds)
      if (taken < first.length) {
        this.#left[0] = first.subarray(taken)
        return
      }
      this.#left.shift()
    }
    if (this.#endsAfter) {
      this.#to.end()
    } else {
      this.#to.timeout(0)
      this.#from.resume()
    }
  }

  /** Ends the receiver once it has taken all bytes. */
  end(): void {
    this.#endsAfter = true
    if (this.#left.length === 0) this.#to.end()
  }
}
