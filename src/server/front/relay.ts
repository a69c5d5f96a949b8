/**
 * Moves bytes from one socket to another and lets a slow receiver slow down the sender. While the sender is paused, Bun
 * does not report that it has closed, so a receiver that takes nothing needs a timeout.
 */

/** The part of a Bun socket that a relay uses. */
export interface RelaySocket {
  /** Returns the number of bytes that were taken, which may be fewer; negative if the socket is closed. */
  write(bytes: Uint8Array): number
  end(): void
  pause(): void
  resume(): void
  /** Reports a timeout after so many seconds; never if 0. */
  timeout(seconds: number): void
}

/** One direction of a connection. */
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
