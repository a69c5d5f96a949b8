/** Packs files into a tar archive (POSIX.1-1988 ustar, with the path headers of POSIX.1-2001) that is compressed with gzip. */

import type { SiteFile } from './site-files.ts'

const blockBytes = 512
const longestName = 100

/** The parts of the archive: the files themselves are read only while it is compressed. */
function tarParts(files: readonly SiteFile[]): BlobPart[] {
  const parts: BlobPart[] = []
  for (const { path, file } of files) {
    const name = encode(path)
    if (name.length > longestName) {
      const record = paxRecord('path', path)
      parts.push(header('paxheader', record.length, 'x'), record, padding(record.length))
    }
    parts.push(header(name.length > longestName ? 'file' : path, file.size, '0'), file, padding(file.size))
  }
  parts.push(new Uint8Array(blockBytes * 2))
  return parts
}

/** The archive of some files, ready to be sent as `application/gzip`. */
export function pack(files: readonly SiteFile[]): Promise<Blob> {
  const tar = new Blob(tarParts(files))
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob()
}

function header(path: string, size: number, type: '0' | 'x'): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes)
  const write = (text: string, offset: number) => block.set(encode(text), offset)
  write(path, 0)
  write('0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  write('00000000000\0', 136)
  // The sum is made with spaces in its own place.
  write('        ', 148)
  write(type, 156)
  write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A record says its own length, in bytes and with the digits of the length. */
function paxRecord(name: string, value: string): Uint8Array<ArrayBuffer> {
  const rest = encode(` ${name}=${value}\n`).length
  let length = rest + String(rest).length
  if (String(length).length !== String(rest).length) length = rest + String(length).length
  return encode(`${length} ${name}=${value}\n`)
}

const padding = (bytes: number) => new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
