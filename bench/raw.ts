/**
 * The reference: `Bun.serve` alone, which sends one given response. Its rate is the maximum for this machine, this client
 * and this runtime. A POST is read as text first; nothing is parsed, checked or stored.
 *
 *     bun bench/raw.ts '{"status":200,"headers":{},"body":"…"}' '{"status":201,"headers":{},"body":"…"}'
 */

interface StoredResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const read = (json: string | undefined) => JSON.parse(json ?? '') as StoredResponse
const got = read(process.argv[2])
const posted = read(process.argv[3])
// A 304 has no body.
const body = got.status === 304 ? null : got.body

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.method === 'GET') return new Response(body, got)
    return request.text().then(() => new Response(posted.body, posted))
  },
})
console.log(server.port)
