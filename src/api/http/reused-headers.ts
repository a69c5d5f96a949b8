/**
 * Creates the successive responses of an endpoint. Most headers are the same as those of the response before, and only the
 * others are converted: converting all of them costs as much as authentication, limits and routing together.
 */

import type { AdmissionHeaders } from './admission-headers.ts'

type Value = string | number | undefined

/** The first values are those of admission, without CORS. */
const ownStart = 6

export class ReusedHeaders {
  /** Has the status and the headers of the response before, which `new Response` copies from it faster than from an object. */
  #last: Response
  #headers: Headers
  #status = 200
  readonly #names: readonly string[]
  readonly #values: Value[]
  #cors: Readonly<Record<string, string>> | undefined

  /** `fixed` are the same for all responses; `names` are the names of those that the endpoint gives for each. */
  constructor(fixed: Readonly<Record<string, string>>, names: readonly string[]) {
    this.#last = new Response(null, { status: this.#status, headers: { ...fixed } })
    this.#headers = this.#last.headers
    this.#names = names
    this.#values = new Array<Value>(ownStart + names.length).fill(undefined)
  }

  /** A response with exactly the fixed headers, those of admission, and `own`, which has a value for each of the names. */
  respond(status: number, admission: AdmissionHeaders, own: readonly Value[], body: string | null): Response {
    if (status !== this.#status) this.#setStatus(status)
    if (admission.cors !== this.#cors) this.#setCors(admission.cors)
    this.#set(0, 'X-Request-Id', admission.requestId)
    this.#set(1, 'X-RateLimit-Limit', admission.limit)
    this.#set(2, 'X-RateLimit-Remaining', admission.remaining)
    this.#set(3, 'X-RateLimit-Reset', admission.reset)
    this.#set(4, 'RateLimit-Policy', admission.policy)
    this.#set(5, 'RateLimit', admission.rateLimit)
    for (let i = 0; i < own.length; i++) this.#set(ownStart + i, this.#names[i] as string, own[i])
    // `Bun.serve` takes the headers out of a response that it sends, so that not even one without a body can be sent again.
    return new Response(body, this.#last)
  }

  /** Converts a header that differs from that of the response before. */
  #set(at: number, name: string, value: Value): void {
    if (this.#values[at] === value) return
    if (value === undefined) this.#headers.delete(name)
    else this.#headers.set(name, String(value))
    this.#values[at] = value
  }

  #setStatus(status: number): void {
    this.#last = new Response(null, { status, headers: this.#headers })
    this.#headers = this.#last.headers
    this.#status = status
  }

  #setCors(cors: Readonly<Record<string, string>> | undefined): void {
    for (const name in this.#cors) this.#headers.delete(name)
    for (const name in cors) this.#headers.set(name, cors[name] as string)
    this.#cors = cors
  }
}
