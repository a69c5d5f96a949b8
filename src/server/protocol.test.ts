/** How Bun handles unusual requests, as docs/decisions/0015-http-layer.md describes: a newer Bun may differ. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { emptyFolder, isBuilt, type PetstoreProcess, startPetstoreProcess } from '../testing/executable.ts'
import { eventually } from '../testing/per-test/server.ts'
import { sendRaw } from '../testing/send-raw.ts'

const folder = emptyFolder()
let server: PetstoreProcess

beforeAll(async () => {
  if (isBuilt) server = await startPetstoreProcess(['--ephemeral'], { cwd: folder.path })
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

const statusOf = (response: string) => /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]
const send = async (lines: string) => statusOf(await sendRaw(server.ready.port, lines.replaceAll('\n', '\r\n')))
const authorization = () => `Authorization: Bearer ${server.ready.key}`

function post(name: string, { framing = 'length' } = {}): string {
  const body = JSON.stringify({ name, categoryId: 1 })
  const head = `POST /v1/pets HTTP/1.1\nHost: a\n${authorization()}\nContent-Type: application/json\n`
  return framing === 'length'
    ? `${head}Content-Length: ${body.length}\n\n${body}`
    : `${head}Transfer-Encoding: chunked\n\n${body.length.toString(16)}\n${body}\n0\nTrailer: x\n\n`
}

async function names(): Promise<string[]> {
  const headers = { Authorization: `Bearer ${server.ready.key}` }
  const response = await fetch(`${server.ready.url}/v1/pets?limit=100`, { headers })
  return ((await response.json()) as { name: string }[]).map(({ name }) => name)
}

describe.skipIf(!isBuilt)('Bun', () => {
  test('closes the connection for an unknown method and passes on the known ones', async () => {
    for (const method of ['FOO', 'get', 'Post']) {
      expect([method, await sendRaw(server.ready.port, `${method} /healthz HTTP/1.1\r\nHost: a\r\n\r\n`)]).toEqual([
        method,
        '',
      ])
    }
    for (const method of ['LINK', 'PROPFIND', 'QUERY', 'TRACE']) {
      expect([method, await send(`${method} /healthz HTTP/1.1\nHost: a\nConnection: close\n\n`)]).toEqual([
        method,
        '405',
      ])
    }
  })

  test('responds to malformed HTTP itself, with only a status line', async () => {
    const requests = {
      'GET /healthz HTTP/1.1\n\n': '400',
      'POST /v1/pets HTTP/1.1\nHost: a\nContent-Length: 2\nTransfer-Encoding: chunked\n\n0\n\n': '400',
      'GET /healthz HTTP/1.1\nHost: a\nContent-Length: 3\nContent-Length: 4\n\n': '400',
      'GET /healthz HTTP/1.1\nHost: a\nX : y\n\n': '400',
      'OPTIONS * HTTP/1.1\nHost: a\n\n': '400',
      [`GET /${'a'.repeat(17_000)} HTTP/1.1\nHost: a\n\n`]: '431',
      [`GET / HTTP/1.1\nHost: a\nX: ${'a'.repeat(17_000)}\n\n`]: '431',
      'GET /a b HTTP/1.1\nHost: a\n\n': '505',
      'GET /\u0001 HTTP/1.1\nHost: a\n\n': '505',
    }
    for (const [request, status] of Object.entries(requests)) {
      const response = await sendRaw(server.ready.port, request.replaceAll('\n', '\r\n'))
      expect([request.slice(0, 60), statusOf(response)]).toEqual([request.slice(0, 60), status])
      expect(response.toLowerCase()).not.toContain('x-request-id')
    }
  })

  test('responds with 400 to a chunked body with trailers, although the request was handled', async () => {
    expect(await send(post('Trailer', { framing: 'chunked' }))).toBe('400')
    // The request is still being handled when its 400 arrives.
    expect(await eventually(async () => (await names()).includes('Trailer'))).toBe(true)
  })

  test('closes the connection if another request arrives before the response to the first, which is handled nevertheless', async () => {
    const second = `GET /v1/pets HTTP/1.1\nHost: a\n${authorization()}\nConnection: close\n\n`
    expect(await sendRaw(server.ready.port, (post('First') + second).replaceAll('\n', '\r\n'))).toBe('')
    expect(await sendRaw(server.ready.port, (post('Second') + post('Third')).replaceAll('\n', '\r\n'))).toBe('')
    const added = await names()
    expect(added).toContain('First')
    expect(added).toContain('Second')
    expect(added).not.toContain('Third')
    const both = await sendRaw(
      server.ready.port,
      (second.replace('Connection: close\n', '') + second).replaceAll('\n', '\r\n'),
    )
    expect(both.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })
})
