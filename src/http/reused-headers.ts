/**
 * Converts the headers of successive responses to `Headers`. Most of them are the same as those of the response before, and
 * only the others are converted: converting all of them costs as much as authentication, limits and routing together.
 */
export class ReusedHeaders {
  readonly #native = new Headers()
  readonly #values = new Map<string, string | number>()

  /** The headers for the constructor of a `Response`, which copies them. The next call changes the same object. */
  of(headers: Readonly<Record<string, string | number>>): Headers {
    let count = 0
    for (const name in headers) {
      const value = headers[name] as string | number
      count++
      if (this.#values.get(name) === value) continue
      this.#values.set(name, value)
      this.#native.set(name, String(value))
    }
    if (count < this.#values.size) this.#removeOthers(headers)
    return this.#native
  }

  #removeOthers(headers: Readonly<Record<string, string | number>>): void {
    for (const name of this.#values.keys()) {
      if (name in headers) continue
      this.#values.delete(name)
      this.#native.delete(name)
    }
  }
}
