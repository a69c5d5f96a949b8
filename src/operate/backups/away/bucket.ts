/**
 * A bucket of an S3 service: lists, reads, writes and deletes objects. It has no time-outs (`Bun.S3Client` has none):
 * it is used in processes that are ended when they make no progress.
 */

import { type Bucket, bucketAddress } from '../../../config/bucket.ts'
import { AppError, messageOf } from '../../../lib/error.ts'
import { printable } from '../../../lib/log.ts'
import { codeOf } from '../../../lib/system-error.ts'

/** At most 10,000 parts make an object: it can have 80 GiB. */
const partBytes = 8 * 1024 * 1024
/** Memory is collected after so many bytes, of any objects. */
const collectedBytes = 2 * 1024 * 1024
/** How many parts are sent at once. Each is in memory. */
const partsAtOnce = 1

export interface StoredObject {
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string
}

/**
 * Names are below the prefix of the bucket. All throw `storage_unavailable` with the reason, and `not_found` for an
 * object that is missing.
 */
export interface OpenBucket {
  /** Sizes by name, of the objects whose names begin with `start`. */
  list(start: string): Promise<Map<string, number>>
  read(name: string): AsyncIterable<Uint8Array>
  /** Writes an object and reads it back. It is there whole or not at all. */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<StoredObject>
  /** Returns whether these keys may delete. An object that is missing is deleted. */
  remove(name: string): Promise<boolean>
}

export function openBucket(bucket: Bucket, progress: () => void): OpenBucket {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = bucket
  const client = new Bun.S3Client({
    bucket: bucket.bucket,
    accessKeyId,
    secretAccessKey,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  })
  const keyOf = (name: string) => bucket.prefix + name
  let uncollected = 0

  /**
   * The collector does not count buffers that were sent or received: it would wait until there are dozens of megabytes.
   */
  function moved(bytes: number): void {
    progress()
    uncollected += bytes
    if (uncollected < collectedBytes) return
    uncollected = 0
    Bun.gc(true)
  }

  async function run<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await explainedFault(error, bucket, name)
    }
  }

  async function* read(name: string): AsyncGenerator<Uint8Array, void> {
    const chunks = client.file(keyOf(name)).stream()[Symbol.asyncIterator]()
    for (;;) {
      const { value, done } = await run(name, () => chunks.next())
      if (done) return
      moved(value.byteLength)
      yield value
    }
  }

  async function send(name: string, content: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    const writer = client.file(keyOf(name)).writer({ partSize: partBytes, queueSize: partsAtOnce })
    const sent = await measure(content, async (chunk) => {
      await run(undefined, async () => {
        writer.write(chunk)
        await writer.flush()
      })
      moved(chunk.byteLength)
    })
    await run(undefined, async () => await writer.end())
    progress()
    return sent
  }

  return {
    async list(start) {
      const found = new Map<string, number>()
      let continuationToken: string | undefined
      do {
        const page = await run(undefined, () =>
          client.list({
            prefix: keyOf(start),
            ...(continuationToken === undefined ? {} : { continuationToken }),
          }),
        )
        progress()
        for (const { key, size } of page.contents ?? []) found.set(key.slice(bucket.prefix.length), size ?? 0)
        continuationToken = page.isTruncated ? page.nextContinuationToken : undefined
      } while (continuationToken !== undefined)
      return found
    },
    read,
    async write(name, content) {
      const sent = await send(name, content)
      const stored = await measure(read(name))
      if (stored.bytes === sent.bytes && stored.sha256 === sent.sha256) return sent
      const message = `${bucketAddress(bucket, name)} is not what was sent: ${stored.bytes} bytes were read back, and ${sent.bytes} were sent.`
      throw new AppError('storage_unavailable', message)
    },
    async remove(name) {
      try {
        await client.delete(keyOf(name))
        progress()
        return true
      } catch (error) {
        if (isRefusal(error)) return false
        throw await explainedFault(error, bucket, undefined)
      }
    },
  }
}

/** Reads a content to its end. */
async function measure(
  content: AsyncIterable<Uint8Array>,
  take?: (chunk: Uint8Array) => Promise<void>,
): Promise<StoredObject> {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of content) {
    hash.update(chunk)
    bytes += chunk.byteLength
    await take?.(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Deleting is refused by the policy of the keys, or because the bucket keeps objects for a time. */
const isRefusal = (error: unknown) =>
  /^(AccessDenied|MethodNotAllowed|ObjectLocked|InvalidRequest)$/.test(codeOf(error))

/** The most characters of a message of the service. */
const longestReply = 200

const unreachable = 'cannot be reached'
const notS3 = 'does not respond as S3 does: correct the endpoint'
const notTrusted =
  "has a certificate that is not trusted: if it is of a private authority, start petstore with NODE_EXTRA_CA_CERTS, the file of that authority's certificate"
const words: Readonly<Record<string, string>> = {
  AccessDenied: 'refuses it: its policy does not allow that to these keys',
  AllAccessDisabled: 'refuses it: it is locked',
  InvalidAccessKeyId: 'does not know the access key id',
  SignatureDoesNotMatch: 'refuses the secret access key',
  ExpiredToken: 'reports that the keys have expired',
  InvalidToken: 'does not know the session token',
  RequestTimeTooSkewed: 'reports that the clock of this machine is wrong: set it',
  NoSuchBucket: 'does not exist',
  PermanentRedirect: 'is in another region: correct the region or the endpoint',
  AuthorizationHeaderMalformed: 'is in another region: correct the region or the endpoint',
  QuotaExceeded: 'is full',
  StorageFull: 'is full',
  XMinioStorageFull: 'is full',
  InsufficientStorage: 'is full',
  ServiceUnavailable: 'is overloaded',
  SlowDown: 'is overloaded',
  ConnectionRefused: `${unreachable}: nothing listens there`,
  ConnectionClosed: `${unreachable}: the connection was closed`,
  DNSResolveFailed: `${unreachable}: there is no host of that name`,
  TLSHandshakeFailed: `${unreachable} over TLS: correct the endpoint`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name: enter the name that the service states',
  CERT_HAS_EXPIRED:
    'has a certificate that has expired or is not valid yet: set the clock of this machine if it is wrong',
  UnknownError: notS3,
  InvalidResponse: notS3,
  FailedToOpenSocket: `${unreachable}: there is no host of that name, or no way to it`,
}

async function explainedFault(error: unknown, bucket: Bucket, name: string | undefined): Promise<unknown> {
  const code = codeOf(error)
  // A missing bucket, and a service that does not speak S3, cause the error of a missing object.
  if (code === 'NoSuchKey' && name !== undefined) {
    return new AppError('not_found', `There is no ${bucketAddress(bucket, name)}.`, { cause: error })
  }
  if (code === '' || error instanceof AppError) return error
  const reply = printable(messageOf(error).replaceAll(/\s+/g, ' ')).slice(0, longestReply).replace(/\.$/, '')
  // As in DEPTH_ZERO_SELF_SIGNED_CERT and UNABLE_TO_VERIFY_LEAF_SIGNATURE.
  const isCertificate = /CERT|SIGNATURE/.test(code)
  const target = await redirectOf(bucket)
  const reason =
    target !== undefined
      ? `redirects to ${target}: enter that`
      : Object.hasOwn(words, code)
        ? words[code]
        : isCertificate
          ? notTrusted
          : `reports ${code}: ${reply}`
  const at = bucket.endpoint === undefined ? '' : ` at ${bucket.endpoint}`
  const message = `The bucket ${bucketAddress({ bucket: bucket.bucket, prefix: '' })}${at} ${reason}.`
  return new AppError('storage_unavailable', message, { cause: error })
}

/** How long the endpoint may take to say where it redirects to, in milliseconds. */
const redirectMs = 5_000

/**
 * Where the endpoint redirects requests to, which the client follows, so that it sees the errors of another server;
 * undefined if it doesn't.
 */
async function redirectOf({ endpoint, bucket }: Bucket): Promise<string | undefined> {
  if (endpoint === undefined) return undefined
  const asked = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/`)
  try {
    const response = await fetch(asked, { redirect: 'manual', signal: AbortSignal.timeout(redirectMs) })
    await response.body?.cancel()
    const location = response.headers.get('location')
    if (location === null || response.status < 300 || response.status > 399) return undefined
    const { origin } = new URL(location, asked)
    return origin === asked.origin ? undefined : printable(origin)
  } catch {
    return undefined
  }
}
