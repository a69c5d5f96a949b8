/**
 * The structure of image files, as far as photos need it: their format by their first bytes, whether a JPEG is whole,
 * and colour profiles that are cut out. Everything else is read and written by `Bun.Image`.
 */

/** The formats that are read. */
export type ImageFormat = 'jpeg' | 'png' | 'webp'

/** The format of a file; undefined if photos can't have it. */
export function imageFormat(start: Uint8Array): ImageFormat | undefined {
  if (startsWith(start, [0xff, 0xd8, 0xff])) return 'jpeg'
  if (startsWith(start, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png'
  if (textAt(start, 0, 4) === 'RIFF' && textAt(start, 8, 12) === 'WEBP') return 'webp'
  return undefined
}

/** The brands of ISO base media files (ISO/IEC 14496-12) that are photos, with the names that people know. */
const isoBrands: readonly (readonly [brand: RegExp, name: string])[] = [
  [/^(?:hei[cxmsf]|hev[cxm]|mif1|msf1)$/, 'HEIC'],
  [/^avi[fs]$/, 'AVIF'],
]

/** The name of a format that photos can't have but that cameras and browsers make; undefined for any other file. */
export function unreadableFormat(start: Uint8Array): string | undefined {
  if (textAt(start, 4, 8) === 'ftyp') {
    const brand = textAt(start, 8, 12)
    return isoBrands.find(([brands]) => brands.test(brand))?.[1]
  }
  if (/^GIF8[79]a$/.test(textAt(start, 0, 6))) return 'GIF'
  if (textAt(start, 0, 2) === 'BM') return 'BMP'
  return /^(?:II\*\0|MM\0\*)$/.test(textAt(start, 0, 4)) ? 'TIFF' : undefined
}

const startOfScan = 0xda
const endOfImage = 0xd9

/**
 * Whether a JPEG has its end marker (ITU-T T.81, annex B). What follows the marker, such as the film of a moving
 * photo, does not matter: the preview within the metadata has a marker too, so the last bytes of the file say nothing.
 */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  for (let at = 2; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return false
    const marker = bytes[at + 1] as number
    if (marker === endOfImage) return true
    if (marker === 0xff) {
      // A fill byte.
      at++
    } else if (isParameterless(marker)) {
      at += 2
    } else {
      const end = at + 2 + lengthAt(bytes, at + 2)
      at = marker === startOfScan ? endOfScan(bytes, end) : end
    }
  }
  return false
}

const isParameterless = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** The position of the next marker after the compressed data of a scan, in which 0xff is followed by 0 or a restart. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next !== 0x00 && next !== 0xff && !(next !== undefined && isParameterless(next))) return at
  }
  return bytes.length
}

/** A larger colour profile costs more than it is worth on a page of photos, in bytes. */
const largestProfile = 16 * 1_024

/** An encoded image without its colour profile, if that is larger than 16 KiB; else the same bytes. */
export function withoutLargeProfile(bytes: Uint8Array, format: 'jpeg' | 'webp'): Uint8Array {
  const profile = format === 'jpeg' ? jpegProfile(bytes) : webpProfile(bytes)
  const size = profile.reduce((sum, { start, end }) => sum + end - start, 0)
  if (size <= largestProfile) return bytes
  const kept: Uint8Array[] = []
  let from = 0
  for (const { start, end } of profile) {
    kept.push(bytes.subarray(from, start))
    from = end
  }
  kept.push(bytes.subarray(from))
  const cut = Buffer.concat(kept)
  if (format === 'webp') markWithoutProfile(cut)
  return cut
}

/** A part of a file: from `start`, before `end`. */
interface Span {
  readonly start: number
  readonly end: number
}

const profileName = 'ICC_PROFILE\0'

/** The APP2 segments of a JPEG with parts of a colour profile (ICC.1:2022, annex B.4). */
function jpegProfile(bytes: Uint8Array): Span[] {
  const found: Span[] = []
  for (let start = 2; bytes[start] === 0xff && bytes[start + 1] !== startOfScan; ) {
    const end = start + 2 + lengthAt(bytes, start + 2)
    if (bytes[start + 1] === 0xe2 && textAt(bytes, start + 4, start + 4 + profileName.length) === profileName) {
      found.push({ start, end })
    }
    start = end
  }
  return found
}

/** The chunk of a WebP with its colour profile (RFC 9649, section 2.7.1.4). */
function webpProfile(bytes: Uint8Array): Span[] {
  const view = viewOf(bytes)
  for (let start = 12; start + 8 <= bytes.length; ) {
    const size = view.getUint32(start + 4, true)
    const end = start + 8 + size + (size % 2)
    if (textAt(bytes, start, start + 4) === 'ICCP') return [{ start, end }]
    start = end
  }
  return []
}

/** Corrects the size of a WebP, and the flag in its header that a profile follows (RFC 9649, section 2.7). */
function markWithoutProfile(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  view.setUint32(4, bytes.length - 8, true)
  if (textAt(bytes, 12, 16) === 'VP8X') view.setUint8(20, view.getUint8(20) & ~0x20)
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const startsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, i) => bytes[i] === byte)

const textAt = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1')

/** The length of a JPEG's segment, which counts its own two bytes; never less, so that reading goes on. */
const lengthAt = (bytes: Uint8Array, at: number) => Math.max(2, ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
