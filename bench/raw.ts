/**
 * The reference: `Bun.serve` alone, which sends one given response. Its rate is the maximum for this machine, this
 * client and this runtime. A POST is read as text first; nothing is parsed, checked or stored.
 *
 * With `--reads` it also does what an API with keys and limits does at least: it reads the URL and two headers of the
 * request, and changes three headers of each response.
 *
 *     bun bench/raw.ts '{"status":200,"headers":{},"body":"…"}' '{"status":201,"headers":{},"body":"…"}' [--reads]
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
// The next response copies the headers from this one, which is faster than from an object.
const last = new Response(null, got)
const urls = new Set<string>()
let requests = 0

function respondAfterReading({ headers, url }: Request): Response {
  if (headers.get('authorization') === '' || headers.get('if-none-match') === '') throw new Error('an empty header')
  if (!urls.has(url)) urls.add(url)
  const remaining = 1e9 - ++requests
  last.headers.set('X-Request-Id', `req_0123456789abcdef${requests.toString(36)}`)
  last.headers.set('X-RateLimit-Remaining', String(remaining))
  last.headers.set('RateLimit', `"minute";r=${remaining};t=60, "day";r=${remaining};t=86400`)
  return new Response(body, last)
}

const respond = process.argv.includes('--reads') ? respondAfterReading : () => new Response(body, got)

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.method === 'GET') return respond(request)
    return request.text().then(() => new Response(posted.body, posted))
  },
})
console.log(server.port)
