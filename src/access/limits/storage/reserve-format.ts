/** The file format of the reserve: a header with a checksum, then JSON. */

import type { NewBan } from '../bans.ts'
import type { CountedSecond, StoredClock } from '../store.ts'

export interface CountedDay {
  readonly accountId: number
  readonly day: number
  readonly used: number
}

/** Counts that the database does not hold; absolute numbers, not differences. Times of bans are steady time. */
export interface ReserveContent {
  readonly clock: StoredClock
  readonly days: readonly CountedDay[]
  readonly seconds: readonly CountedSecond[]
  readonly bans: readonly NewBan[]
}

export const headerBytes = 64
const headerExpression = /^petstore limits (\d+) (\d+) *\n$/

/** Encodes the content; undefined encodes an empty reserve. */
export function encode(sequence: number, content: ReserveContent | undefined): Buffer {
  const packed = content && {
    clock: content.clock,
    days: content.days.map(({ accountId, day, used }) => [accountId, day, used]),
    seconds: content.seconds.map(({ accountId, second, requests }) => [accountId, second, requests]),
    bans: content.bans.map(({ keyId, accountId, startedMs, endsMs }) => [keyId, accountId, startedMs, endsMs]),
  }
  const body = Buffer.from(JSON.stringify({ sequence, content: packed }))
  const header = `petstore limits ${Bun.hash.crc32(body)} ${body.length}`.padEnd(headerBytes - 1)
  return Buffer.concat([Buffer.from(`${header}\n`), body])
}

/** The size of an encoded content that begins with `header`; the size of the header if nothing begins with it. */
export function encodedBytes(header: Buffer): number {
  return headerBytes + Number(headerExpression.exec(header.toString('latin1'))?.[2] ?? 0)
}

/** Decodes the result of `encode`. Returns undefined for anything else, such as an incomplete write. */
export function decode(bytes: Buffer): { sequence: number; content: ReserveContent | undefined } | undefined {
  const header = headerExpression.exec(bytes.toString('latin1', 0, headerBytes))
  const body = bytes.subarray(headerBytes, headerBytes + Number(header?.[2]))
  if (!header || body.length !== Number(header[2]) || Bun.hash.crc32(body) !== Number(header[1])) return undefined
  const { sequence, content } = JSON.parse(body.toString()) as { sequence: number; content?: Packed }
  return { sequence, content: content && unpacked(content) }
}

interface Packed {
  readonly clock: StoredClock
  readonly days: readonly [number, number, number][]
  readonly seconds: readonly [number, number, number][]
  readonly bans: readonly [number, number, number, number][]
}

function unpacked({ clock, days, seconds, bans }: Packed): ReserveContent {
  return {
    clock,
    days: days.map(([accountId, day, used]) => ({ accountId, day, used })),
    seconds: seconds.map(([accountId, second, requests]) => ({ accountId, second, requests })),
    bans: bans.map(([keyId, accountId, startedMs, endsMs]) => ({ keyId, accountId, startedMs, endsMs })),
  }
}

/** Moves the requests of each window to its last second: they count for longer than they should, but need less space. */
export function condensed(content: ReserveContent): ReserveContent {
  const windows = new Map<number, CountedSecond>()
  for (const { accountId, second, requests } of content.seconds) {
    const known = windows.get(accountId)
    windows.set(accountId, {
      accountId,
      second: Math.max(second, known?.second ?? 0),
      requests: requests + (known?.requests ?? 0),
    })
  }
  return { ...content, seconds: [...windows.values()] }
}
