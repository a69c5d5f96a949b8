/**
 * Creates the successive responses of an endpoint. Most headers are the same as those of the response before, and only the
 * others are converted: converting all of them costs as much as authentication, limits and routing together.
 */
export class ReusedHeaders {
  /** Has the status and the headers of the response before, which `new Response` copies from it faster than from an object. */
  #last = new Response(null)
  /** The headers of the response before, in their order. */
  #names: string[] = []
  #values: (string | number)[] = []

  /** A response with exactly these headers. */
  respond(status: number, headers: Readonly<Record<string, string | number>>, body: string | null): Response {
    if (this.#last.status !== status || !this.#update(headers)) this.#replace(status, headers)
    return new Response(body, this.#last)
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
        this.#last.headers.set(name, String(value))
        values[i] = value
      }
      i++
    }
    return i === names.length
  }

  #replace(status: number, headers: Readonly<Record<string, string | number>>): void {
    const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    this.#last = new Response(null, { status, headers: texts })
    this.#names = Object.keys(headers)
    this.#values = Object.values(headers)
  }
}
