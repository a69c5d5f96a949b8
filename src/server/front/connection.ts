/** A client's connection to a front, and the connection of the front to the inner server that the first bytes select. */

import type { Pacer } from './pacer.ts'
import { Relay } from './relay.ts'

/** An inner server, for one connection. */
export interface Target {
  readonly address: { readonly unix: string } | { readonly hostname: string; readonly port: number }
  /** The front is connected to the inner server; `localPort` is undefined for a unix socket. */
  onConnect?(localPort: number | undefined, clientAddress: string): void
  /** The connection has ended, or was never made. Called exactly once. */
  onClose?(localPort: number | undefined): void
}

/** Undefined while more bytes are needed. `rejection` is sent before the connection is closed. */
export type Opening = { readonly target: Target } | { readonly rejection: Uint8Array } | undefined

/** Examines what one client sends after the opening. */
export interface Inspector {
  /** Returns the bytes to pass on now, or a rejection. */
  fromClient(bytes: Buffer): Uint8Array | { readonly rejection: Uint8Array }
  /** The client gets bytes of the server. */
  fromServer(): void
}

export interface ConnectionOptions {
  /** Chooses the inner server by all bytes that a client has sent so far. */
  readonly open: (bytes: Buffer) => Opening
  /** The number of bytes after which the opening has ended, beyond those with which `open` has found a target. */
  readonly openingBytes: number
  readonly inspector: Inspector | undefined
  /** Paces the bytes of the opening. */
  readonly pacer: Pacer
  /** The opening has ended, or the connection. */
  readonly onOpened: () => void
  /** The inner server can't be reached, or a rejection is sent. */
  readonly onFailure: (kind: 'unreachable' | 'rejected') => void
  /** The client's connection has ended. */
  readonly onClosed: () => void
}

/** The time that a client has for the last bytes of its connection, in seconds. */
const closingSeconds = 30

const nothing = Buffer.alloc(0)

export class Connection {
  /** Milliseconds of the monotonic clock. */
  readonly openedMs: number
  readonly #options: ConnectionOptions
  readonly #client: Bun.Socket<Connection | undefined>
  readonly #address: string
  #state: 'opening' | 'connecting' | 'open' | 'closing' | 'closed' = 'opening'
  /** What the client has sent before there was a connection to the inner server. */
  #first: Buffer = nothing
  #bytesToOpen: number
  /** Chunks that wait for their turn; later ones must not overtake them. */
  #pacedChunks = 0
  #target: Target | undefined
  #inner: Bun.Socket<undefined> | undefined
  #innerPort: number | undefined
  #toInner: Relay | undefined
  #toClient: Relay | undefined

  constructor(client: Bun.Socket<Connection | undefined>, openedMs: number, options: ConnectionOptions) {
    this.#client = client
    this.#address = client.remoteAddress
    this.openedMs = openedMs
    this.#options = options
    this.#bytesToOpen = options.openingBytes
  }

  fromClient(bytes: Buffer): void {
    if (this.#state === 'opening') {
      this.#first = this.#first.length === 0 ? bytes : Buffer.concat([this.#first, bytes])
      this.#open()
    } else if (this.#state === 'connecting') {
      this.#first = Buffer.concat([this.#first, bytes])
    } else if (this.#state === 'open') {
      this.#forward(bytes)
    }
  }

  clientDrained(): void {
    this.#toClient?.drain()
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
    this.#state = 'connecting'
    this.#target = opened.target
    if (this.#options.openingBytes === 0) this.#options.onOpened()
    // What follows waits in the system meanwhile.
    this.#client.pause()
    const socket: Bun.SocketHandler<undefined> = {
      open: (inner) => this.#connected(inner),
      data: (_, bytes) => this.#fromInner(bytes),
      drain: () => this.#toInner?.drain(),
      close: () => this.#innerClosed(),
      error: () => this.#innerClosed(),
      connectError: () => this.#unreachable(),
    }
    const { address } = opened.target
    const connected =
      'unix' in address ? Bun.connect({ unix: address.unix, socket }) : Bun.connect({ ...address, socket })
    connected.catch(() => this.#unreachable())
  }

  #connected(inner: Bun.Socket<undefined>): void {
    if (this.#state !== 'connecting' || this.#target === undefined) {
      inner.end()
      return
    }
    this.#state = 'open'
    this.#inner = inner
    if (!('unix' in this.#target.address)) this.#innerPort = inner.localPort
    this.#target.onConnect?.(this.#innerPort, this.#address)
    this.#toInner = new Relay(this.#client, inner)
    this.#toClient = new Relay(inner, this.#client)
    this.#client.resume()
    const first = this.#first
    this.#first = nothing
    if (this.#bytesToOpen > 0) this.#bytesToOpen += first.length
    this.#forward(first)
  }

  #forward(bytes: Buffer): void {
    const isPaced = this.#bytesToOpen > 0 || this.#pacedChunks > 0
    if (this.#bytesToOpen > 0) {
      this.#bytesToOpen -= bytes.length
      if (this.#bytesToOpen <= 0) this.#options.onOpened()
    }
    if (isPaced) {
      this.#pacedChunks++
      this.#options.pacer.run(() => {
        this.#pacedChunks--
        if (this.#state === 'open') this.#toInner?.send(bytes)
      })
      return
    }
    const { inspector } = this.#options
    const passed = inspector === undefined ? bytes : inspector.fromClient(bytes)
    if ('rejection' in passed) this.#reject(passed.rejection)
    else if (passed.length > 0) this.#toInner?.send(passed)
  }

  #fromInner(bytes: Buffer): void {
    if (this.#state !== 'open') return
    this.#options.inspector?.fromServer()
    this.#toClient?.send(bytes)
  }

  #innerClosed(): void {
    if (this.#state === 'connecting') {
      this.#unreachable()
    } else if (this.#state === 'open') {
      this.#state = 'closing'
      this.#leaveInner()
      this.#client.timeout(closingSeconds)
      this.#toClient?.end()
    }
  }

  #unreachable(): void {
    if (this.#state !== 'connecting') return
    this.#options.onFailure('unreachable')
    this.close()
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
    target.onClose?.(this.#innerPort)
  }
}
