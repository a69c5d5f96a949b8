/**
 * A receiver of webhooks for tests: an HTTP server on loopback that records requests and responds as the test demands.
 */

export interface Received {
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the content of the body
  readonly json: any
}

export function startReceiver(
  respond: (count: number, request: Received) => Response | Promise<Response> = () => new Response(),
) {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const answer = { respond }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const text = await request.text()
      const one = { headers: request.headers, text, json: JSON.parse(text) }
      received.push(one)
      for (const wake of waiting) wake()
      return answer.respond(received.length, one)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    /** Answers so from now on. */
    answer(next: typeof respond): void {
      answer.respond = next
    },
    /** Resolves to all requests once this many have arrived. */
    async until(count: number): Promise<readonly Received[]> {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
      return received
    },
    stop: () => server.stop(true),
  }
}
export type TestReceiver = ReturnType<typeof startReceiver>
