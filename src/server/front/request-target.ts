/**
 * Checks what Bun's parser does not show. It drops the authority of a request target in absolute form (RFC 9112 section
 * 3.2.2) and keeps the Host header, it closes the connection for an unknown method, and its 431 for a head that is too
 * large has no text. Only the bytes of the request show all three.
 */

import { hostOf } from '../../api/host.ts'

/** Examines the requests of one client. */
export interface Inspector {
  /** Returns the bytes to pass on now, or a rejection. */
  fromClient(bytes: Buffer): Uint8Array | { readonly rejection: Uint8Array }
  /** The client gets bytes of the server. */
  fromServer(bytes: Buffer): void
}

const rejections = {
  different: rejectionOf('400 Bad Request', 'The request target and the Host header name different hosts.'),
  // RFC 9110 section 9.1.
  unknown: rejectionOf(
    '501 Not Implemented',
    'This method is not known here. Names of methods are in capital letters.',
  ),
  // A site may set cookies for the whole domain that it belongs to: without this header its visitors could not open any
  // other site there for as long as the cookies last.
  tooLarge: rejectionOf(
    '431 Request Header Fields Too Large',
    'The header of this request is larger than 16 KiB, probably because of cookies. Over HTTPS this response tells the browser to delete the cookies of this domain: load the page again, with https:// in the address.',
    'Clear-Site-Data: "cookies"\r\nCache-Control: no-store\r\n',
  ),
}

function rejectionOf(status: string, text: string, fields = ''): Buffer {
  const head = `${fields}Content-Type: text/plain\r\nContent-Length: ${text.length}\r\nConnection: close`
  return Buffer.from(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${text}`)
}

const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' '))

/** The same limit as that of Bun, which rejects a longer head. */
const maximumHeadBytes = 16_384

const [space, slash, digitOne, capitalG] = [0x20, 0x2f, 0x31, 0x47]
const blankLine = Buffer.from('\r\n\r\n')

/** The beginning of a response, up to its status. */
const version = 'HTTP/1.1 '

const nothing = Buffer.alloc(0)

/**
 * Examines the head of each request that begins after a response and after the body of the last request: it is passed
 * on once it is complete. A pipelined request is not examined: it reaches the site of its Host header, like every other
 * request.
 */
export function createTargetInspector(): Inspector {
  let isStart = true
  /** The bytes of an incomplete head. */
  let pending: Buffer = nothing
  /** The bytes of the request's body that are still to come. They may follow a response that rejects the request. */
  let bodyLeft = 0

  return {
    fromClient(bytes) {
      if (bodyLeft > 0) {
        if (bytes.length > bodyLeft) isStart = false
        bodyLeft = Math.max(0, bodyLeft - bytes.length)
        return bytes
      }
      if (!isStart) return bytes
      const head = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
      const end = head.indexOf(blankLine)
      if (end === -1 && head.length <= maximumHeadBytes && mayBecomeRequest(head)) {
        pending = head
        return nothing
      }
      pending = nothing
      isStart = false
      const rejection = rejectionFor(head, end)
      if (rejection !== undefined) return { rejection }
      // Searching for a length takes 2 µs, and a GET has none.
      const hasBody = end !== -1 && head[0] !== capitalG
      if (hasBody) bodyLeft = Math.max(0, bodyBytes(head, end) - (head.length - end - blankLine.length))
      return head
    },
    fromServer(bytes) {
      // The body of the request follows an interim response.
      if (!isStart)
        isStart = bytes[version.length] !== digitOne || bytes.toString('latin1', 0, version.length) !== version
    },
  }
}

/**
 * Whether the bytes are the beginning of a head. After an early response they may be the rest of a chunked body.
 */
function mayBecomeRequest(bytes: Buffer): boolean {
  return bytes.includes('\n') ? isRequestLine(bytes) : /^[!#$%&'*+.^_`|~\w-]*( |$)/.test(bytes.toString('latin1'))
}

/** Whether the bytes begin with a whole request line. */
function isRequestLine(bytes: Buffer): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(bytes.toString('latin1', 0, maximumHeadBytes))
}

/** The Content-Length of a head that ends at `end`; 0 if there is none. */
function bodyBytes(head: Buffer, end: number): number {
  return Number(/\r\ncontent-length:[ \t]*([0-9]+)/i.exec(head.toString('latin1', 0, end))?.[1] ?? 0)
}

/** The response to a request that must not be passed on. `end` is that of the head, -1 if it has none. */
function rejectionFor(head: Buffer, end: number): Buffer | undefined {
  const methodEnd = head.indexOf(space)
  const isUnknown = methodEnd > 0 && !methods.has(head.toString('latin1', 0, methodEnd))
  const isTooLarge = end === -1 ? head.length > maximumHeadBytes : end + blankLine.length > maximumHeadBytes
  if ((isUnknown || isTooLarge) && isRequestLine(head)) return isUnknown ? rejections.unknown : rejections.tooLarge
  // Nearly every target begins with a slash.
  if (end === -1 || head[methodEnd + 1] === slash) return undefined
  const [line = '', ...fields] = head.toString('latin1', 0, end).split('\r\n')
  const authority = /^\S+ https?:\/\/([^/? ]*)/i.exec(line)?.[1]
  const hosts = fields.filter((field) => /^host:/i.test(field)).map((field) => field.slice(5).trim())
  // Two Host headers are rejected where all requests are.
  if (authority === undefined || hosts.length !== 1) return undefined
  const host = hostOf(authority)
  return host !== undefined && host === hostOf(hosts[0] ?? '') ? undefined : rejections.different
}
