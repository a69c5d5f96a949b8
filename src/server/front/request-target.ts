/**
 * Checks the absolute form of request targets (RFC 9112 section 3.2.2) on connections in the clear. Bun's parser drops the
 * authority of that form and keeps the Host header, so a difference can only be seen in the bytes.
 */

import { hostOf } from '../host.ts'
import type { Inspector } from './connection.ts'

const rejection = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 60\r\nConnection: close\r\n\r\n' +
    'The request target and the Host header name different hosts.',
)

/** The same as that of Bun: a longer head is rejected there. */
const maximumHeadBytes = 16_384

/** The longest method with its space, and the longest scheme. */
const longestStart = 'PROPPATCH https://'.length + 8

const nothing = Buffer.alloc(0)

/**
 * Examines the head of each request that begins after a response. A pipelined request is not examined: it reaches the site of
 * its Host header, like every other.
 */
export function createTargetInspector(): Inspector {
  let isStart = true
  let held: Buffer = nothing

  return {
    fromClient(bytes) {
      if (!isStart) return bytes
      const head = held.length === 0 ? bytes : Buffer.concat([held, bytes])
      const verdict = judge(head)
      if (verdict === 'incomplete') {
        held = head
        return nothing
      }
      held = nothing
      if (verdict === 'different') return { rejection }
      isStart = false
      return head
    },
    fromServer() {
      isStart = true
    },
  }
}

function judge(head: Buffer): 'incomplete' | 'different' | 'fine' {
  const start = head.toString('latin1', 0, longestStart)
  if (!/^[A-Za-z]*( |$)/.test(start)) return 'fine'
  const space = start.indexOf(' ')
  if (space === -1) return start.length < longestStart ? 'incomplete' : 'fine'
  const target = start.slice(space + 1).toLowerCase()
  const schemes = ['http://', 'https://']
  if (!schemes.some((scheme) => target.startsWith(scheme))) {
    return schemes.some((scheme) => scheme.startsWith(target)) && !start.includes('\n') ? 'incomplete' : 'fine'
  }
  const end = head.indexOf('\r\n\r\n')
  if (end === -1) return head.length < maximumHeadBytes ? 'incomplete' : 'fine'
  const [line = '', ...fields] = head.toString('latin1', 0, end).split('\r\n')
  const authority = /^[A-Za-z]+ https?:\/\/([^/? ]*)/i.exec(line)?.[1] ?? ''
  const hosts = fields.filter((field) => /^host:/i.test(field)).map((field) => field.slice(5).trim())
  const [host = ''] = hosts
  const isSame = hostOf(authority) !== undefined && hostOf(authority) === hostOf(host)
  // Two Host headers are rejected where all requests are.
  return isSame || hosts.length !== 1 ? 'fine' : 'different'
}
