/**
 * A body that is in memory does not pass through the socket of an inner server, where 10 kB cost 6 µs. The handler responds with a
 * placeholder, and the front puts the body and its length in the place of that: all other parts of the response are Bun's own.
 * A placeholder is a random text of this process that no client ever sees, and a number.
 */

import type { Clock } from '../../lib/clock.ts'
import { Relay, type RelaySocket } from './relay.ts'

export interface Placeholders {
  /** The text to respond with instead of `body`, which must not change; undefined if the body has to be sent itself. */
  placeholderFor(body: Uint8Array): string | undefined
  /** A relay from an inner server to a client, which restores the bodies. */
  relay(from: RelaySocket, to: RelaySocket, stalledSeconds: number): Relay
}

/** The smallest body that is worth it. */
const minimumBytes = 2_048
/** Placeholders that may be on their way, and the bytes of their bodies. Nearly all arrive in the next turn of the event loop. */
const [maximumWaiting, maximumWaitingBytes] = [1_000, 32 * 1_024 * 1_024]
/** When a placeholder that has not arrived is given up: its connection has ended. */
const givenUpMs = 600_000
/** Up to this size a body is copied behind its head, so that both are one TLS record or a few full ones. */
const copiedBytes = 48 * 1_024
/** The head of a response has less. */
const headBytes = 16 * 1_024
/** Turns of the event loop in which the rest of a response arrives that an inner server has begun to send. */
const longestTurns = 8

const idDigits = 16
const firstId = 10 ** (idDigits - 1)

export function createPlaceholders({ monotonic }: Pick<Clock, 'monotonic'>): Placeholders {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')
  /** Bun writes this header last. */
  const beginning = Buffer.from(`Content-Length: ${secret.length + idDigits}\r\n\r\n${secret}`)
  const scratch = Buffer.alloc(headBytes + copiedBytes)
  /** The oldest first. */
  const waiting = new Map<number, { readonly body: Uint8Array; readonly sinceMs: number }>()
  let waitingBytes = 0
  let nextId = firstId

  function take(id: number): Uint8Array | undefined {
    const body = waiting.get(id)?.body
    if (body === undefined) return undefined
    waiting.delete(id)
    waitingBytes -= body.length
    return body
  }

  function giveUpOldest(): void {
    for (const [id, { sinceMs }] of waiting) {
      if (monotonic() - sinceMs > givenUpMs) take(id)
      return
    }
  }

  /** Where a placeholder may begin that the next bytes complete; the length of `bytes` if nowhere. */
  function beginsAt(bytes: Buffer, from: number): number {
    let at = Math.max(from, bytes.length - beginning.length + 1)
    for (; at < bytes.length; at++) {
      if (beginning.compare(bytes, at, bytes.length, 0, bytes.length - at) === 0) break
    }
    return at
  }

  class RestoringRelay extends Relay {
    /** What may be the beginning of a placeholder. */
    #held: Buffer | undefined
    #turns = 0
    #isScheduled = false
    #isLost = false

    override send(bytes: Buffer): void {
      if (this.#held === undefined && waiting.size === 0) super.send(bytes)
      else if (!this.#isLost) this.#restore(this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]))
    }

    override drain(): void {
      super.drain()
      if (this.#held !== undefined) this.#hold(this.#held)
    }

    override end(): void {
      this.#release()
      super.end()
    }

    #restore(bytes: Buffer): void {
      this.#held = undefined
      let from = 0
      let at = bytes.indexOf(beginning)
      for (; at !== -1; at = bytes.indexOf(beginning, from)) {
        const idAt = at + beginning.length
        if (bytes.length < idAt + idDigits) break
        const body = take(Number(bytes.toString('latin1', idAt, idAt + idDigits)))
        if (body === undefined) {
          this.#isLost = true
          super.end()
          return
        }
        this.#sendBody(bytes, from, at, body)
        from = idAt + idDigits
      }
      if (from === bytes.length) return
      const heldAt = at === -1 ? beginsAt(bytes, from) : at
      if (from < heldAt) super.send(bytes.subarray(from, heldAt))
      if (heldAt < bytes.length) this.#hold(bytes.subarray(heldAt))
    }

    /** Sends what is before the placeholder, and the body. */
    #sendBody(bytes: Buffer, from: number, at: number, body: Uint8Array): void {
      const length = `Content-Length: ${body.length}\r\n\r\n`
      if (body.length > copiedBytes || at - from + length.length > headBytes) {
        super.send(bytes.subarray(from, at))
        super.send(Buffer.from(length))
        super.send(body)
        return
      }
      let size = bytes.copy(scratch, 0, from, at)
      size += scratch.write(length, size, 'latin1')
      scratch.set(body, size)
      super.send(scratch.subarray(0, size + body.length), true)
    }

    /**
     * Waits for the next bytes. They come soon if these belong to a placeholder, because the inner server goes on as soon as
     * its socket is read; other responses may end like this.
     */
    #hold(bytes: Buffer): void {
      this.#held = bytes
      this.#turns = 0
      this.#schedule()
    }

    #schedule(): void {
      // While the sender is paused nothing can come; `drain` goes on.
      if (this.#isScheduled || this.isBlocked) return
      this.#isScheduled = true
      setImmediate(() => {
        this.#isScheduled = false
        if (this.#held === undefined) return
        this.#turns++
        if (this.#turns < longestTurns) this.#schedule()
        else this.#release()
      })
    }

    #release(): void {
      const held = this.#held
      this.#held = undefined
      if (held !== undefined) super.send(held)
    }
  }

  return {
    placeholderFor(body) {
      giveUpOldest()
      const isFull = waiting.size >= maximumWaiting || waitingBytes + body.length > maximumWaitingBytes
      if (body.length < minimumBytes || isFull) return undefined
      const id = nextId++
      waitingBytes += body.length
      waiting.set(id, { body, sinceMs: monotonic() })
      return secret + id
    },
    relay: (from, to, stalledSeconds) => new RestoringRelay(from, to, stalledSeconds),
  }
}
