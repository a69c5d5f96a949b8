/** Writes zip archives for tests, byte by byte, so that every field can lie. */

import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly isStored?: boolean
  /** Unix mode in the external attributes. */
  readonly mode?: number
  readonly flags?: number
  readonly method?: number
  /** Fields of the central directory that differ from the truth. */
  readonly size?: number
  readonly compressedSize?: number
  readonly crc?: number
  readonly offset?: number
  readonly extra?: Uint8Array
  /** Bytes instead of the compressed content. */
  readonly raw?: Uint8Array
  /** The local header has zeros, the sizes follow the content (bit 3). */
  readonly hasDescriptor?: boolean
  /** The name in the local header, where it differs. */
  readonly localName?: string
  /** Sizes and offset stand in the zip64 field. */
  readonly isZip64?: boolean
}

export interface ZipOptions {
  readonly comment?: string
  readonly entryCount?: number
  readonly isZip64?: boolean
}

const number = (bytes: number, value: number) => {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value))
  else buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

/** A zip archive with these entries. */
export function buildZip(entries: readonly ZipEntry[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { content = '', isStored = false, hasDescriptor = false, isZip64 = false } = entry
    const bytes = Buffer.from(content as string)
    const raw = Buffer.from(entry.raw ?? (isStored ? bytes : deflateRawSync(bytes)))
    const crc = entry.crc ?? crc32(bytes)
    const size = entry.size ?? bytes.length
    const compressedSize = entry.compressedSize ?? raw.length
    const flags = (entry.flags ?? 0x800) | (hasDescriptor ? 8 : 0)
    const method = entry.method ?? (isStored ? 0 : 8)
    const name = Buffer.from(entry.name as string)
    const localName = Buffer.from(entry.localName ?? name)
    const offset = entry.offset ?? at
    const extra = isZip64
      ? Buffer.concat([number(2, 1), number(2, 24), number(8, size), number(8, compressedSize), number(8, offset)])
      : Buffer.from(entry.extra ?? [])
    const common = Buffer.concat([number(2, flags), number(2, method), number(2, 0), number(2, 0x5a21)])
    const local = Buffer.concat([
      number(4, 0x04034b50),
      number(2, 20),
      common,
      ...(hasDescriptor ? [Buffer.alloc(12)] : [number(4, crc), number(4, raw.length), number(4, bytes.length)]),
      number(2, localName.length),
      number(2, 0),
      localName,
      raw,
      ...(hasDescriptor ? [number(4, 0x08074b50), number(4, crc), number(4, raw.length), number(4, bytes.length)] : []),
    ])
    directory.push(
      Buffer.concat([
        number(4, 0x02014b50),
        number(2, 0x0314),
        number(2, 20),
        common,
        number(4, crc),
        number(4, isZip64 ? 0xffffffff : compressedSize),
        number(4, isZip64 ? 0xffffffff : size),
        number(2, name.length),
        number(2, extra.length),
        Buffer.alloc(6),
        number(4, ((entry.mode ?? 0o100644) << 16) >>> 0),
        number(4, isZip64 ? 0xffffffff : offset),
        name,
        extra,
      ]),
    )
    parts.push(local)
    at += local.length
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([...parts, central, endOf(entries.length, central.length, at, options)])
}

function endOf(length: number, size: number, offset: number, { comment = '', entryCount, isZip64 }: ZipOptions) {
  const count = entryCount ?? length
  const end = Buffer.concat([
    number(4, 0x06054b50),
    Buffer.alloc(4),
    number(2, isZip64 ? 0xffff : count),
    number(2, isZip64 ? 0xffff : count),
    number(4, isZip64 ? 0xffffffff : size),
    number(4, isZip64 ? 0xffffffff : offset),
    number(2, comment.length),
    Buffer.from(comment),
  ])
  if (!isZip64) return end
  const record = Buffer.concat([
    number(4, 0x06064b50),
    number(8, 44),
    number(2, 45),
    number(2, 45),
    Buffer.alloc(8),
    number(8, count),
    number(8, count),
    number(8, size),
    number(8, offset),
  ])
  const locator = Buffer.concat([number(4, 0x07064b50), number(4, 0), number(8, offset + size), number(4, 1)])
  return Buffer.concat([record, locator, end])
}
