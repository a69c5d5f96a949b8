/**
 * The reference: `Bun.serve` alone, which responds with given bytes and headers. Its rate is the maximum for this machine,
 * this client and this runtime.
 *
 *     bun bench/peer.ts '{"list":{"status":200,"headers":{},"body":"…"},"created":{…}}'
 */

interface StoredResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const { list, created } = JSON.parse(process.argv[2] ?? '') as { list: StoredResponse; created: StoredResponse }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.method === 'GET') return new Response(list.body, list)
    return request.text().then(() => new Response(created.body, created))
  },
})
console.log(server.port)
