import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { AppError } from '../../lib/error.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createClient } from './api-client.ts'

const folder = emptyFolder()
const unix = join(folder.path, 'test.sock')
/** Ends a request without an answer, as a server that is killed does. */
let cut: () => void = () => {}
let server: Bun.Server<undefined>

const megabyte = 1_000_000

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/rejected') return Response.json({ code: 'plan_required', message: 'No.' }, { status: 403 })
  if (pathname === '/silent') {
    cut()
    await new Promise(() => {})
  }
  if (pathname === '/half') {
    let pieces = 0
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (pieces++ < 3) return controller.enqueue(Buffer.alloc(megabyte))
          await new Promise(() => {})
        },
      }),
    )
  }
  let bytes = 0
  for await (const chunk of request.body ?? []) bytes += chunk.length
  return Response.json({ bytes, length: request.headers.get('content-length') })
}

beforeAll(() => {
  server = Bun.serve({ unix, maxRequestBodySize: Number.MAX_SAFE_INTEGER, fetch: respond })
  cut = () => void server.stop(true)
})
afterAll(async () => {
  await server.stop(true)
  folder.remove()
})

const client = createClient(
  (path, init) => fetch(`http://petstore.local${path}`, { ...init, unix, timeout: false }),
  (_, method) => new AppError('storage_unavailable', `lost ${method}`),
)

async function* megabytes(count: number, failure?: Error) {
  for (let sent = 0; sent < count; sent++) yield Buffer.alloc(megabyte)
  if (failure) throw failure
}

describe('an upload', () => {
  test('is sent with its length, or in chunks, and says how much was sent', async () => {
    for (const bytes of [20 * megabyte, undefined]) {
      const progress: number[] = []
      const upload = { type: 'text/csv', body: megabytes(20), bytes, onProgress: (sent: number) => progress.push(sent) }
      const length = bytes === undefined ? null : String(bytes)
      expect(await client.upload<object>('/', upload)).toEqual({ bytes: 20 * megabyte, length })
      expect(progress).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * megabyte))
    }
  })

  test('that is rejected throws the error of the API', async () => {
    const upload = client.upload('/rejected', { type: 'text/csv', body: megabytes(20) })
    await expect(upload).rejects.toMatchObject({ code: 'plan_required', message: 'No.' })
  })

  test('whose source fails, or that is aborted, throws the reason', async () => {
    const failed = new Error('the disk is gone')
    const upload = client.upload('/', { type: 'text/csv', body: megabytes(3, failed) })
    await expect(upload).rejects.toBe(failed)
    const interrupted = new Error('interrupted')
    const controller = new AbortController()
    const onProgress = () => controller.abort(interrupted)
    const aborted = client.upload('/', { type: 'text/csv', body: megabytes(20), onProgress, signal: controller.signal })
    await expect(aborted).rejects.toBe(interrupted)
  })
})

test('a server that ends is reported, before and while its response is read', async () => {
  const { chunks } = await client.download('/half')
  let bytes = 0
  const reading = (async () => {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes === 3 * megabyte) cut()
    }
  })()
  await expect(reading).rejects.toMatchObject({ message: 'lost GET' })
  expect(bytes).toBe(3 * megabyte)
  server = Bun.serve({ unix, fetch: respond })
  await expect(client.call('DELETE', '/silent')).rejects.toMatchObject({ message: 'lost DELETE' })
})

test('the next page of a list is requested where the first one was, whatever address its Link has', async () => {
  const links = [
    '<https://other.example/api/v1/keys?limit=100&cursor=a-1>; rel="next"',
    '</v1/elsewhere?cursor=b_2>; rel="next"',
    '</v1/pets>; rel="successor-version"',
  ]
  const paths: string[] = []
  const client = createClient(
    async (path) => {
      const link = links[paths.length] ?? ''
      paths.push(path)
      return Response.json([paths.length], { headers: { Link: link } })
    },
    (error) => error,
  )
  expect(await client.all<number>('/keys?accountId=2')).toEqual([1, 2, 3])
  const list = '/keys?accountId=2&limit=100'
  expect(paths).toEqual([list, `${list}&cursor=a-1`, `${list}&cursor=b_2`])
})
