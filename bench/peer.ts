/**
 * The reference: `Bun.serve` alone, answering with bytes and headers that it is handed. What it reaches is
 * what this machine, this client and this runtime allow.
 *
 *     bun bench/peer.ts '{"list":{"status":200,"headers":{},"body":"…"},"created":{…}}'
 */

interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const { list, created } = JSON.parse(process.argv[2] ?? '') as { list: Answer; created: Answer }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.method === 'GET') return new Response(list.body, list)
    return request.text().then(() => new Response(created.body, created))
  },
})
console.log(server.port)
