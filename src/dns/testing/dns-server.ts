/** A DNS server for tests, in this process: UDP and TCP on one port of a loopback address. */

import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type RecordType, TRUNCATED_RESPONSE } from 'dns-packet'

export interface TestQuery {
  readonly id: number
  /** Lower case; the root is ''. */
  readonly name: string
  /** As received: a reply repeats it. */
  readonly sentName: string
  readonly type: RecordType
  readonly flags: number
  readonly overTcp: boolean
  /** The largest reply that the client takes. */
  readonly maximumBytes: number
}

export interface TestReply {
  readonly rcode?: number
  readonly authoritative?: boolean
  readonly flags?: number
  readonly answers?: readonly Answer[]
  readonly authorities?: readonly Answer[]
  readonly additionals?: readonly Answer[]
  /** Extended DNS errors (RFC 8914). */
  readonly extendedErrors?: readonly number[]
}

/** A reply, octets to send as they are (as datagrams, or over TCP without a length in front), or nothing. */
export type Response = TestReply | { readonly raw: readonly Uint8Array[] } | 'silence' | 'close'

export type Handler = (query: TestQuery) => Response | Promise<Response>

export interface TestServer {
  readonly address: string
  readonly port: number
  readonly queries: TestQuery[]
  close(): void
}

export interface ServerOptions {
  /** Without it nothing listens for TCP connections. */
  readonly tcp?: boolean
  /** A free one unless given. */
  readonly port?: number
}

export async function startDnsServer(
  address: string,
  handle: Handler,
  { tcp = true, port = 0 }: ServerOptions = {},
): Promise<TestServer> {
  const queries: TestQuery[] = []
  const respond = async (message: Uint8Array, overTcp: boolean) => {
    const query = readQuery(message, overTcp)
    queries.push(query)
    return { query, response: await handle(query) }
  }
  const { udp, listener } = await listen(address, port, tcp, respond)
  return {
    address,
    port: udp.port,
    queries,
    close() {
      udp.close()
      listener?.stop(true)
    },
  }
}

type Respond = (message: Uint8Array, overTcp: boolean) => Promise<{ query: TestQuery; response: Response }>

/** The system chooses a free port of UDP, which may be in use by TCP: then another one is chosen. */
async function listen(address: string, port: number, tcp: boolean, respond: Respond) {
  for (let attempt = 1; ; attempt++) {
    const udp = await listenUdp(address, port, respond)
    try {
      return { udp, listener: tcp ? listenTcp(address, udp.port, respond) : undefined }
    } catch (error) {
      udp.close()
      if (port !== 0 || attempt === 20) throw error
    }
  }
}

function listenUdp(address: string, port: number, respond: Respond) {
  return Bun.udpSocket({
    hostname: address,
    port,
    socket: {
      async data(socket, message, port, peer) {
        const { query, response } = await respond(message, false)
        try {
          for (const datagram of datagrams(query, response)) if (!socket.closed) socket.send(datagram, port, peer)
        } catch {
          // An earlier client is gone, which the kernel reports with the next send.
        }
      },
      error() {},
    },
  })
}

function listenTcp(address: string, port: number, respond: Respond) {
  return Bun.listen<{ received: Buffer }>({
    hostname: address,
    port,
    socket: {
      open(socket) {
        socket.data = { received: Buffer.alloc(0) }
      },
      async data(socket, chunk) {
        socket.data.received = Buffer.concat([socket.data.received, chunk])
        const { received } = socket.data
        if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return
        const { query, response } = await respond(received.subarray(2), true)
        if (response === 'silence') return
        if (response !== 'close') for (const bytes of stream(query, response)) socket.write(bytes)
        if (response === 'close' || 'raw' in response) socket.end()
      },
      error() {},
    },
  })
}

function readQuery(message: Uint8Array, overTcp: boolean): TestQuery {
  const packet = decode(Buffer.from(message))
  const question = packet.questions?.[0]
  const opt = packet.additionals?.find((record) => record.type === 'OPT')
  const sentName = question?.name === '.' ? '' : (question?.name ?? '')
  return {
    id: packet.id ?? 0,
    name: sentName.toLowerCase(),
    sentName,
    type: question?.type ?? 'A',
    flags: packet.flags ?? 0,
    overTcp,
    maximumBytes: overTcp ? 65_535 : opt?.type === 'OPT' ? opt.udpPayloadSize : 512,
  }
}

function datagrams(query: TestQuery, response: Response): readonly Uint8Array[] {
  if (response === 'silence' || response === 'close') return []
  if ('raw' in response) return response.raw
  const message = encodeReply(query, response)
  if (message.length <= query.maximumBytes) return [message]
  return [encodeReply(query, { ...response, flags: TRUNCATED_RESPONSE, answers: [], authorities: [], additionals: [] })]
}

function stream(
  query: TestQuery,
  response: TestReply | { readonly raw: readonly Uint8Array[] },
): readonly Uint8Array[] {
  if ('raw' in response) return response.raw
  const message = encodeReply(query, response)
  return [new Uint8Array([message.length >> 8, message.length & 0xff]), message]
}

/** The octets of a reply that repeats the question as it came. */
export function encodeReply(query: TestQuery, reply: TestReply): Uint8Array {
  const { rcode = 0, authoritative = false, flags = 0, answers = [], authorities = [], additionals = [] } = reply
  const options = (reply.extendedErrors ?? []).map((code) => ({
    code: 15,
    data: Buffer.from([code >> 8, code & 0xff]),
  }))
  const opt = {
    type: 'OPT' as const,
    name: '.' as const,
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: options as never,
  }
  return encode({
    type: 'response',
    id: query.id,
    flags: flags | rcode | (authoritative ? AUTHORITATIVE_ANSWER : 0),
    questions: [{ name: query.sentName || '.', type: query.type, class: 'IN' }],
    answers: [...answers],
    authorities: [...authorities],
    additionals: [...additionals, ...(options.length > 0 ? [opt] : [])],
  })
}
