import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import fc from 'fast-check'
import { checkDomain } from './check.ts'
import type { Report } from './report.ts'
import { encodeReply, type Handler, type Response, type TestQuery } from './testing/dns-server.ts'
import { addresses, createShopWorld, expected, target } from './testing/shop.ts'
import type { World } from './testing/world.ts'
import { defaultLimits } from './wire/budget.ts'

let world: World | undefined
afterEach(() => world?.close())

const host = 'www.kiosk.example'
const right = `www 300 CNAME ${target}.`

/** Both of the shop's servers use this handler; if it returns nothing they respond honestly. */
function createHostileWorld(handle: (query: TestQuery) => ReturnType<Handler> | undefined, tcp = true): Promise<World> {
  const change = { handle, tcp }
  return createShopWorld(right, { change: { [addresses.first]: change, [addresses.second]: change } })
}

async function shopServers(...args: Parameters<typeof createHostileWorld>): Promise<World> {
  world = await createHostileWorld(...args)
  return world
}

/**
 * Whatever a hostile server does, the verdict is unknown: timeouts may be shorter than an honest server needs on a
 * loaded machine.
 */
const hastyLimits = { udpTimeoutsMs: [400, 400], tcpTimeoutMs: 600, totalMs: 5_000 }

const check = ({ options }: World, more: object = {}) =>
  checkDomain({ hostname: host, ...expected }, { ...options, limits: hastyLimits, ...more })
/** With the timeouts that honest servers need on a loaded machine. */
const checkPatiently = (given: World) => check(given, { limits: given.options.limits })

const withId = (query: TestQuery, bytes: Uint8Array) => {
  const message = new Uint8Array(bytes)
  new DataView(message.buffer).setUint16(0, query.id)
  return message
}
const reply = (query: TestQuery) =>
  encodeReply(query, { authoritative: true, answers: [{ type: 'CNAME', name: host, ttl: 60, data: target }] })

/** A reply to a query for an address, with one record in octets. */
function withRecord(query: TestQuery, record: readonly number[]): Uint8Array {
  const message = encodeReply(query, { authoritative: true })
  new DataView(message.buffer, message.byteOffset).setUint16(6, 1)
  return new Uint8Array([...message, ...record])
}
/** Type A, class IN, TTL 60, then the length and data. */
const typeA = [0, 1, 0, 1, 0, 0, 0, 60]
const typeCname = [0, 5, 0, 1, 0, 0, 0, 60]

const length16 = (bytes: Uint8Array, length = bytes.length) => new Uint8Array([length >> 8, length & 255, ...bytes])
/** Octets that are sent over UDP and, after their length, over TCP. */
const bytes = (query: TestQuery, message: Uint8Array): Response => ({
  raw: [query.overTcp ? length16(message) : message],
})

const attacks: Readonly<Record<string, (query: TestQuery) => Response>> = {
  'says nothing': () => 'silence',
  'closes connections at once': () => 'close',
  'sends garbage': (query) => bytes(query, crypto.getRandomValues(new Uint8Array(600))),
  'sends garbage behind the right id': (query) =>
    bytes(query, withId(query, crypto.getRandomValues(new Uint8Array(600)))),
  'sends a header alone': (query) => bytes(query, reply(query).subarray(0, 12)),
  'sends half a reply': (query) => bytes(query, reply(query).subarray(0, 40)),
  'sends a single octet': (query) => bytes(query, new Uint8Array([7])),
  'sends empty datagrams': () => ({ raw: [new Uint8Array(0)] }),
  'replies under another id': (query) =>
    bytes(query, encodeReply({ ...query, id: query.id ^ 1 }, { authoritative: true })),
  'repeats another question': (query) =>
    bytes(query, encodeReply({ ...query, sentName: 'www.other.example' }, { authoritative: true })),
  'repeats another type': (query) => bytes(query, encodeReply({ ...query, type: 'MX' }, { authoritative: true })),
  'sends its own query back': (query) =>
    bytes(query, withId(query, new Uint8Array([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]))),
  'compresses a name into a loop': (query) =>
    bytes(query, withRecord(query, [0xc0, 12 + host.length + 6, ...typeA, 0, 4, 1, 2, 3, 4])),
  'compresses a name forwards': (query) => bytes(query, withRecord(query, [0xc0, 0xff, ...typeA, 0, 4, 1, 2, 3, 4])),
  'compresses a target into itself': (query) =>
    bytes(query, withRecord(query, [0xc0, 12, ...typeCname, 0, 4, 1, 97, 0xc0, 12 + host.length + 18])),
  'gives an address of three octets': (query) => bytes(query, withRecord(query, [0xc0, 12, ...typeA, 0, 3, 1, 2, 3])),
  'gives a length beyond the end': (query) =>
    bytes(query, withRecord(query, [0xc0, 12, ...typeA, 0xff, 0xff, 1, 2, 3, 4])),
  'gives a target shorter than its length': (query) =>
    bytes(query, withRecord(query, [0xc0, 12, ...typeCname, 0, 9, 1, 97, 0, 0, 0, 0, 0, 0, 0])),
  'counts more records than it sends': (query) => {
    const message = reply(query)
    new DataView(message.buffer, message.byteOffset).setUint16(6, 65_535)
    return bytes(query, message)
  },
  'truncates every reply, over TCP too': (query) =>
    bytes(query, encodeReply(query, { authoritative: true, flags: 1 << 9 })),
  'announces 65,535 octets over TCP and sends few': (query) =>
    query.overTcp
      ? { raw: [length16(reply(query), 65_535)] }
      : bytes(query, encodeReply(query, { authoritative: true, flags: 1 << 9 })),
  'sends 60 kB over TCP': (query) => ({
    ...huge(query),
    flags: query.overTcp ? 0 : 1 << 9,
  }),
}

function huge({ name }: TestQuery) {
  const answers = Array.from({ length: 240 }, () => ({ type: 'TXT' as const, name, ttl: 60, data: ['x'.repeat(240)] }))
  return { authoritative: true, answers }
}

describe('a hostile server', () => {
  const reports = new Map<string, Report>()

  // All simultaneously, because most of the time is waiting.
  beforeAll(async () => {
    const run = async ([what, attack]: [string, (query: TestQuery) => Response]) => {
      const hostile = await createHostileWorld(attack)
      reports.set(what, await check(hostile).finally(() => hostile.close()))
    }
    await Promise.all(Object.entries(attacks).map(run))
  })

  for (const what of Object.keys(attacks)) {
    test(`that ${what} is limited in time, leaves the verdict unknown and causes no error`, () => {
      const report = reports.get(what)
      expect(report?.routing).toBe('unknown')
      expect(report?.findings.length).toBeGreaterThan(0)
      expect(report?.queries).toBeLessThanOrEqual(defaultLimits.queries)
      expect(report?.elapsedMs).toBeLessThan(hastyLimits.totalMs + 3_000)
    })
  }

  test('that mixes all of this with honest replies causes no error', async () => {
    const known = Object.entries(attacks).filter(([what]) => !/nothing|empty/.test(what))
    const plan = fc.array(fc.constantFrom(...known.map(([, attack]) => attack), undefined), {
      minLength: 20,
      maxLength: 20,
    })
    const property = fc.asyncProperty(plan, async (behaviours) => {
      let turn = 0
      const hostile = await createHostileWorld((query) => behaviours[turn++ % behaviours.length]?.(query))
      const report = await check(hostile, { limits: { ...hastyLimits, udpTimeoutsMs: [40, 40], tcpTimeoutMs: 60 } })
      hostile.close()
      expect(report.queries).toBeLessThanOrEqual(defaultLimits.queries)
      expect(report.hostname).toBe(host)
    })
    await fc.assert(property, { numRuns: 25 })
  })

  test('that changes the case of the letters is trusted only over TCP', async () => {
    const lower = (query: TestQuery) =>
      query.overTcp ? undefined : bytes(query, reply({ ...query, sentName: query.name }))
    const report = await checkPatiently(await shopServers(lower))
    expect(report.routing).toBe('verified')
    world?.close()
    expect((await check(await shopServers(lower, false))).routing).toBe('unknown')
  })

  test('that replies from another port is ignored', async () => {
    const elsewhere = await Bun.udpSocket({ hostname: '127.0.1.240', port: 0, socket: { data() {}, error() {} } })
    let clientPort = 0
    const first = await Bun.udpSocket({
      hostname: '127.0.1.241',
      port: 0,
      socket: {
        data(_, message, port, address) {
          clientPort = port
          const id = ((message[0] ?? 0) << 8) | (message[1] ?? 0)
          const query = {
            id,
            name: host,
            sentName: host,
            type: 'A',
            flags: 0,
            overTcp: false,
            maximumBytes: 512,
          } as const
          elsewhere.send(reply(query), port, address)
        },
        error() {},
      },
    })
    world = await createShopWorld(right)
    const connect = () => ({ address: '127.0.1.241', port: first.port })
    const report = await check(world, { connect })
    first.close()
    elsewhere.close()
    expect(clientPort).toBeGreaterThan(0)
    expect(report.routing).toBe('unknown')
  })

  test('that sends many guesses makes the checker use TCP', async () => {
    const guesses = (query: TestQuery): Response | undefined =>
      query.overTcp
        ? undefined
        : { raw: Array.from({ length: 50 }, (_, i) => encodeReply({ ...query, id: (query.id + i + 1) & 0xffff }, {})) }
    expect((await checkPatiently(await shopServers(guesses))).routing).toBe('verified')
  })

  test('with a dot inside a label can’t make a name look like another', async () => {
    const dotted = (query: TestQuery): Response | undefined => {
      if (query.name !== host || (query.type !== 'A' && query.type !== 'AAAA')) return undefined
      const label = [...new TextEncoder().encode(target)]
      return bytes(query, withRecord(query, [0xc0, 12, ...typeCname, 0, label.length + 2, label.length, ...label, 0]))
    }
    const report = await checkPatiently(await shopServers(dotted))
    expect(report.routing).toBe('failed')
    expect(report.findings[0]?.observed[0]?.values).toEqual([`CNAME ${target.replaceAll('.', '\\046')}`])
  })
})

const descriptors = '/proc/self/fd'
test.skipIf(!existsSync(descriptors))('no check leaves a socket or a file descriptor open', async () => {
  const open = () => readdirSync(descriptors).length
  await shopServers((query) => (query.type === 'A' ? 'silence' : undefined))
  const limits = { ...hastyLimits, udpTimeoutsMs: [60, 60], tcpTimeoutMs: 80 }
  await check(world as World, { limits })
  const before = open()
  for (let i = 0; i < 5; i++) {
    await check(world as World, { limits })
    await check(world as World, { limits: { ...limits, totalMs: 20 } })
  }
  // Closed sockets are removed from the table in the next turns of the event loop.
  for (let i = 0; i < 100 && open() > before; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(open()).toBeLessThanOrEqual(before)
})
