/**
 * Creates the successive responses of an endpoint. Most headers are the same as those of the response before, and only the
 * others are converted: converting all of them costs as much as authentication, limits and routing together.
 */
export class ReusedHeaders {
  readonly #init = { status: 200, headers: new Headers() }
  /** The headers of the response before, in their order. */
  #names: string[] = []
  #values: (string | number)[] = []

  /** A response with exactly these headers. */
  respond(status: number, headers: Readonly<Record<string, string | number>>, body: string | null): Response {
    const init = this.#init
    init.status = status
    if (!this.#update(headers)) this.#replace(headers)
    // The response copies the headers.
    return new Response(body, init)
  }

  /** Converts the headers that differ from those of the response before. Returns whether it had the same names. */
  #update(headers: Readonly<Record<string, string | number>>): boolean {
    const names = this.#names
    const values = this.#values
    let i = 0
    for (const name in headers) {
      if (names[i] !== name) return false
      const value = headers[name] as string | number
      if (values[i] !== value) {
        this.#init.headers.set(name, String(value))
        values[i] = value
      }
      i++
    }
    return i === names.length
  }

  #replace(headers: Readonly<Record<string, string | number>>): void {
    this.#init.headers = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    this.#names = Object.keys(headers)
    this.#values = Object.values(headers)
  }
}
