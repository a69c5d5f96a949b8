/** Writes tar archives for tests, byte by byte, so that every field can lie. */

export interface TarEntry {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly type?: string
  readonly link?: string
  readonly mtime?: number
  /** The size field as it stands in the header: text, or bytes for base 256. */
  readonly sizeField?: string | Uint8Array
  readonly prefix?: string
  readonly magic?: string
  readonly checksum?: number
}

/** One entry: its header and its content, padded. */
export function tarEntry(entry: TarEntry): Buffer {
  const content = Buffer.from((entry.content ?? '') as string)
  const header = Buffer.alloc(512)
  const put = (text: string | Uint8Array, at: number) => Buffer.from(text as string).copy(header, at)
  put(entry.name, 0)
  put('0000644\0', 100)
  put(entry.sizeField ?? `${content.length.toString(8).padStart(11, '0')} `, 124)
  put(`${(entry.mtime ?? 1_700_000_000).toString(8).padStart(11, '0')} `, 136)
  put('        ', 148)
  put(entry.type ?? '0', 156)
  put(entry.link ?? '', 157)
  put(entry.magic ?? 'ustar\x0000', 257)
  put(entry.prefix ?? '', 345)
  const checksum = entry.checksum ?? header.reduce((sum, byte) => sum + byte, 0)
  put(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}

/** A pax header for the entry after it. */
export function paxEntry(records: Readonly<Record<string, string>>, type = 'x'): Buffer {
  return tarEntry({ name: 'PaxHeader', type, content: Object.entries(records).map(paxRecord).join('') })
}

function paxRecord([key, value]: readonly [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

function withLongName(entry: TarEntry): Buffer {
  const path = Buffer.from(entry.name as string)
  if (path.length <= 100) return tarEntry(entry)
  return Buffer.concat([paxEntry({ path: path.toString() }), tarEntry({ ...entry, name: 'long' })])
}

/** An archive of these entries, with its end mark. */
export function buildTar(entries: readonly (TarEntry | Buffer)[]): Buffer {
  return Buffer.concat([
    ...entries.map((entry) => (Buffer.isBuffer(entry) ? entry : withLongName(entry))),
    Buffer.alloc(1024),
  ])
}
