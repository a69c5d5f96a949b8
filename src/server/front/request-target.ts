/**
 * Checks what Bun's parser hides. It drops the authority of a request target in absolute form (RFC 9112 section 3.2.2) and
 * keeps the Host header, it closes the connection for an unknown method, and its 431 for a head that is too large says
 * nothing: all three can only be seen in the bytes.
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

/** The same as that of Bun, which rejects a longer head. */
const maximumHeadBytes = 16_384

/** Longer than every method that is served, with its space and the longest scheme. */
const longestStart = 64

const [space, slash, one, capitalG] = [0x20, 0x2f, 0x31, 0x47]
const blankLine = Buffer.from('\r\n\r\n')

/** The beginning of a response, up to its status. */
const version = 'HTTP/1.1 '

const nothing = Buffer.alloc(0)

/**
 * Examines the head of each request that begins after a response and after the body of the last request. A pipelined request
 * is not examined: it reaches the site of its Host header, like every other.
 */
export function createTargetInspector(): Inspector {
  let isStart = true
  let held: Buffer = nothing
  /** The beginning of a head that was passed on before its end, which may announce a body, has come. */
  let unfinished: Buffer = nothing
  /** The bytes of the request's body that are still to come. They may follow a response that rejects the request. */
  let bodyLeft = 0

  /** Passes on a head, or a part of one that began with it, and notes the body that follows; rejects a head that is too large. */
  function pass(head: Buffer, bytes: Buffer): ReturnType<Inspector['fromClient']> {
    unfinished = nothing
    // Nearly every request is a GET without a body, and arrives whole.
    if (head[0] === capitalG && head.length <= maximumHeadBytes && endsWithBlankLine(head)) return bytes
    const headEnd = head.indexOf(blankLine)
    const headBytes = headEnd === -1 ? head.length + 1 : headEnd + blankLine.length
    if (headBytes > maximumHeadBytes && isRequestLine(head)) return { rejection: rejections.tooLarge }
    if (headEnd > 0) bodyLeft = bodyBytesAfter(head, headEnd)
    else if (headBytes <= maximumHeadBytes) unfinished = head
    return bytes
  }

  return {
    fromClient(bytes) {
      if (bodyLeft > 0) {
        if (bytes.length > bodyLeft) isStart = false
        bodyLeft = Math.max(0, bodyLeft - bytes.length)
        return bytes
      }
      if (unfinished.length > 0) return pass(Buffer.concat([unfinished, bytes]), bytes)
      if (!isStart) return bytes
      const head = held.length === 0 ? bytes : Buffer.concat([held, bytes])
      const verdict = judge(head)
      if (verdict === 'incomplete') {
        held = head
        return nothing
      }
      held = nothing
      if (verdict !== 'fine') return { rejection: rejections[verdict] }
      isStart = false
      return pass(head, head)
    },
    fromServer(bytes) {
      // The body of the request follows an interim response.
      if (!isStart) isStart = bytes[version.length] !== one || bytes.toString('latin1', 0, version.length) !== version
    },
  }
}

function endsWithBlankLine(bytes: Buffer): boolean {
  return bytes.length >= blankLine.length && blankLine.compare(bytes, bytes.length - blankLine.length) === 0
}

/** The length of a body without the bytes of it that follow the head at once; 0 if it is not known. */
function bodyBytesAfter(bytes: Buffer, headEnd: number): number {
  const [, length = '0'] = /\r\ncontent-length:[ \t]*([0-9]+)/i.exec(bytes.toString('latin1', 0, headEnd)) ?? []
  return Math.max(0, Number(length) - (bytes.length - headEnd - 4))
}

function judge(head: Buffer): 'incomplete' | 'fine' | keyof typeof rejections {
  const end = head.indexOf(space)
  if (end > 0 && !methods.has(head.toString('latin1', 0, end)) && isRequestLine(head)) return 'unknown'
  // Nearly every target begins with a slash.
  if (head[end + 1] === slash) return 'fine'
  const start = head.toString('latin1', 0, longestStart)
  if (!/^[!#$%&'*+.^_`|~\w-]*( |$)/.test(start)) return 'fine'
  const methodEnd = start.indexOf(' ')
  if (methodEnd === -1) return start.length < longestStart ? 'incomplete' : 'fine'
  const target = start.slice(methodEnd + 1).toLowerCase()
  const schemes = ['http://', 'https://']
  if (!schemes.some((scheme) => target.startsWith(scheme))) {
    return schemes.some((scheme) => scheme.startsWith(target)) && !start.includes('\n') ? 'incomplete' : 'fine'
  }
  const headEnd = head.indexOf('\r\n\r\n')
  if (headEnd === -1) return head.length < maximumHeadBytes ? 'incomplete' : 'fine'
  const [line = '', ...fields] = head.toString('latin1', 0, headEnd).split('\r\n')
  const authority = /^\S+ https?:\/\/([^/? ]*)/i.exec(line)?.[1] ?? ''
  const hosts = fields.filter((field) => /^host:/i.test(field)).map((field) => field.slice(5).trim())
  const [host = ''] = hosts
  const isSame = hostOf(authority) !== undefined && hostOf(authority) === hostOf(host)
  // Two Host headers are rejected where all requests are.
  return isSame || hosts.length !== 1 ? 'fine' : 'different'
}

/** Whether the bytes begin with a whole request line; after an early response they may be the rest of a chunked body. */
function isRequestLine(head: Buffer): boolean {
  const line = head.toString('latin1', 0, Math.min(head.length, maximumHeadBytes))
  return /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(line)
}
