/**
 * A real S3 server on loopback for tests, with a bucket `shop`: it refuses, is full, stops responding and damages
 * objects as a test demands.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import './s3rver-on-bun.ts'
import type { Bucket } from '../../../../config/bucket.ts'
import { emptyFolder } from '../../../../testing/executable.ts'

export type Conduct = 'serve' | 'refuse' | 'refuse deletes' | 'full' | 'hang' | 'hang on reading' | 'drop'

export async function startS3Server() {
  // Bun would run it before the corrections.
  const { default: S3rver } = await import('@20minutes/s3rver')
  const folder = emptyFolder()
  const app = new S3rver({ silent: true, directory: folder.path, configureBuckets: [{ name: 'shop', configs: [] }] })
  await app.configureBuckets()
  const serve = app.callback()
  let conduct: Conduct = 'serve'
  let onRequest: (request: string) => void = () => {}
  const requests: string[] = []
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url?.replace(/\?.*/, '')}`
    requests.push(line)
    onRequest(line)
    if (!isFault(request, response)) serve(request, response)
  })

  /** Returns whether the request is answered, or never will be. */
  function isFault(request: IncomingMessage, response: ServerResponse): boolean {
    const refuse = (status: number, code: string) => {
      request.resume()
      request.on('end', () => {
        response.writeHead(status, { 'content-type': 'application/xml' })
        response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
      })
      return true
    }
    const isObject = (request.url ?? '').split('?')[0]?.split('/')[2] !== ''
    switch (conduct) {
      case 'refuse':
        return refuse(403, 'AccessDenied')
      case 'refuse deletes':
        return request.method === 'DELETE' && refuse(403, 'AccessDenied')
      case 'full':
        return /PUT|POST/.test(request.method ?? '') && refuse(507, 'XMinioStorageFull')
      case 'hang':
        return true
      case 'hang on reading':
        return request.method === 'GET' && isObject
      case 'drop':
        request.socket.destroy()
        return true
      default:
        return false
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const bucket: Bucket = {
    bucket: 'shop',
    prefix: 'pets/',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  }
  const root = join(folder.path, 'shop')
  return {
    bucket,
    /** The variables with which an executable reaches it. */
    variables: {
      PETSTORE_S3_ENDPOINT: bucket.endpoint ?? '',
      PETSTORE_S3_REGION: 'us-east-1',
      PETSTORE_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      PETSTORE_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    },
    /** Method and path of all requests. */
    requests,
    set(next: Conduct): void {
      conduct = next
    },
    /** Calls `listener` with the method and path of each request, before it is answered. */
    onRequest(listener: (request: string) => void): void {
      onRequest = listener
    },
    /** The names of the objects below the prefix. */
    objects(): string[] {
      if (!existsSync(join(root, bucket.prefix))) return []
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('._S3rver_object'))
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .map((path) => path.replace('._S3rver_object', '').slice(bucket.prefix.length))
        .sort()
    },
    /** The path of the file that holds an object. */
    pathOf: (object: string) => join(root, `${bucket.prefix}${object}._S3rver_object`),
    /** Makes or replaces an object, as somebody else with keys for the bucket does. */
    put(object: string, content: string): void {
      const path = join(root, `${bucket.prefix}${object}`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}._S3rver_metadata.json`, '{"content-type":"application/octet-stream"}')
      writeFileSync(`${path}._S3rver_object`, content)
      writeFileSync(`${path}._S3rver_object.md5`, new Bun.CryptoHasher('md5').update(content).digest('hex'))
    },
    remove(object: string): void {
      for (const ending of ['metadata.json', 'object'])
        rmSync(join(root, `${bucket.prefix}${object}._S3rver_${ending}`))
    },
    read: (object: string) => readFileSync(join(root, `${bucket.prefix}${object}._S3rver_object`)),
    sizeOf: (object: string) => statSync(join(root, `${bucket.prefix}${object}._S3rver_object`)).size,
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      folder.remove()
    },
  }
}
export type TestS3Server = Awaited<ReturnType<typeof startS3Server>>
