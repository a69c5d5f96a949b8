/** Moves bytes from one socket to another and lets a slow receiver slow down the sender. */

/** The part of a Bun socket that a relay uses. */
export interface RelaySocket {
  /** Returns the number of bytes that were taken, which may be fewer; negative if the socket is closed. */
  write(bytes: Uint8Array): number
  end(): void
  pause(): void
  resume(): void
}

/** One direction of a connection. */
export class Relay {
  readonly #from: RelaySocket
  readonly #to: RelaySocket
  /** The bytes that the receiver has not taken. */
  #left: Uint8Array[] = []
  #endsAfter = false

  constructor(from: RelaySocket, to: RelaySocket) {
    this.#from = from
    this.#to = to
  }

  send(bytes: Uint8Array): void {
    if (this.#left.length > 0) {
      this.#left.push(bytes)
      return
    }
    const taken = this.#to.write(bytes)
    if (taken < 0 || taken === bytes.length) return
    this.#left.push(bytes.subarray(taken))
    this.#from.pause()
  }

  /** To be called when the receiver takes bytes again. */
  drain(): void {
    while (this.#left.length > 0) {
      const [first = new Uint8Array()] = this.#left
      const taken = this.#to.write(first)
      if (taken < 0) return
      if (taken < first.length) {
        this.#left[0] = first.subarray(taken)
        return
      }
      this.#left.shift()
    }
    if (this.#endsAfter) this.#to.end()
    else this.#from.resume()
  }

  /** Ends the receiver once it has taken all bytes. */
  end(): void {
    this.#endsAfter = true
    if (this.#left.length === 0) this.#to.end()
  }
}
