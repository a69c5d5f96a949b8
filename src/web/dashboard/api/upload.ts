/** Uploads of files. They use XMLHttpRequest, because `fetch` does not report the progress of an upload. */

import { ApiError, NoConnectionError, requireSuccess } from './error.ts'
import { randomId } from './send.ts'
import { bearer, discard } from './token.ts'

interface UploadOptions {
  /** A part between 0 and 1. */
  readonly onProgress?: (part: number) => void
  readonly signal?: AbortSignal
  /** The `Idempotency-Key`, for an upload that may be another attempt. */
  readonly key?: string
}

/** Sends a file to a path below /v1, and returns the JSON of the response. Throws the errors of the client (`error.ts`). */
export async function upload<T>(path: string, file: Blob, type: string, options: UploadOptions = {}): Promise<T> {
  const key = options.key ?? randomId()
  const token = await bearer()
  let response = await send(path, file, { ...options, type, key, token })
  if (response.status === 401) {
    discard(token)
    response = await send(path, file, { ...options, type, key, token: await bearer() })
  }
  await requireSuccess(response)
  return (await response.json()) as T
}

interface Sending extends UploadOptions {
  readonly type: string
  readonly key: string
  readonly token: string
}

function send(path: string, file: Blob, { type, key, token, onProgress, signal }: Sending): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/v1${path}`)
    request.setRequestHeader('Content-Type', type)
    request.setRequestHeader('Authorization', `Bearer ${token}`)
    request.setRequestHeader('Idempotency-Key', key)
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total)
    request.onload = () => resolve(responseOf(request))
    request.onerror = () => reject(new NoConnectionError('The store cannot be reached.'))
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    if (signal?.aborted === true) reject(new DOMException('The upload was cancelled.', 'AbortError'))
    else request.send(file)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const [name = '', ...value] = line.split(': ')
    if (name !== '') headers.append(name, value.join(': '))
  }
  return new Response(request.status === 204 ? null : request.responseText, { status: request.status, headers })
}

/** Whether the error means that the person cancelled the upload. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Whether the error means that the file is larger than the store accepts. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413
}
