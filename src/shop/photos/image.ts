/**
 * The structure of image files, as far as photos need it: their format by their first bytes, JPEGs that are not read,
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

/** Whether an image may have transparent parts. */
export function mayBeTransparent(bytes: Uint8Array): boolean {
  const format = imageFormat(bytes)
  // The color types without transparency of the PNG specification (third edition, section 11.2.1).
  if (format === 'png') return bytes[25] !== 0 && bytes[25] !== 2
  // RFC 9649, sections 2.5 to 2.7: only the lossy form has no alpha channel, unless the header says so.
  const chunk = textAt(bytes, 12, 16)
  return format === 'webp' && chunk !== 'VP8 ' && !(chunk === 'VP8X' && ((bytes[20] ?? 0) & 0x10) === 0)
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

/** The longest side that a JPEG can have. To scale a longer one of a PNG, a decoder needs twice the memory. */
const longestSide = 65_535

/**
 * A PNG (third edition, chapter 11) that has only what its picture needs; undefined if that is too expensive. A decoder
 * unpacks texts and other additions, which can be a thousand times as large. The bytes are moved within `bytes`.
 */
export function essentialPng(bytes: Uint8Array): Uint8Array | undefined {
  const view = viewOf(bytes)
  let length = 8
  for (let start = length; start + 12 <= bytes.length; ) {
    const end = Math.min(start + 12 + view.getUint32(start), bytes.length)
    const type = textAt(bytes, start + 4, start + 8)
    const isHeader = type === 'IHDR' && end - start >= 20
    if (isHeader && Math.max(view.getUint32(start + 8), view.getUint32(start + 12)) > longestSide) return undefined
    // Chunks that every decoder must know begin with a capital letter.
    if (/^(?:[A-Z]|tRNS$|iCCP$)/.test(type)) {
      bytes.copyWithin(length, start, end)
      length += end - start
    }
    start = end
  }
  return bytes.subarray(0, length)
}

const startOfScan = 0xda
const endOfImage = 0xd9

/** Programs write about ten, and a decoder goes over the whole image for each. */
const mostScans = 100
/** A decoder keeps all coefficients of a JPEG with several scans, besides the 110 MB that the process needs. */
const mostCoefficientBytes = 230_000_000

/**
 * Why a JPEG is not read (ITU-T T.81, annex B): without its end marker it is cut off; an expensive one would need too
 * much memory or time. What follows the end marker, such as the film of a moving photo, does not matter: the preview
 * within the metadata has a marker too, so the last bytes of the file say nothing.
 */
export function jpegFault(bytes: Uint8Array): 'cut' | 'expensive' | undefined {
  let frame: ReturnType<typeof frameAt> | undefined
  let scans = 0
  for (let at = 2; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return 'cut'
    const marker = bytes[at + 1] as number
    if (marker === endOfImage) return undefined
    if (marker === 0xff) {
      // A fill byte.
      at++
    } else if (isParameterless(marker)) {
      at += 2
    } else {
      const end = at + 2 + lengthAt(bytes, at + 2)
      if (isFrame(marker)) frame = frameAt(bytes, at)
      if (marker === startOfScan) {
        const hasSeveral = frame?.isProgressive || bytes[at + 4] !== frame?.components
        if (++scans > mostScans || (hasSeveral && (frame?.coefficientBytes ?? 0) > mostCoefficientBytes))
          return 'expensive'
      }
      at = marker === startOfScan ? endOfScan(bytes, end) : end
    }
  }
  return 'cut'
}

/** The headers of frames. Among their numbers are those of tables, and one that is reserved. */
const isFrame = (marker: number) => marker >> 4 === 0xc && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The header of a frame (annex B.2.2). The coefficients have two bytes each, and one for each sample. */
function frameAt(bytes: Uint8Array, at: number) {
  const components = bytes[at + 9] ?? 0
  const samplings = Array.from({ length: components }, (_, i) => bytes[at + 11 + 3 * i] ?? 0)
  const [across, down] = [samplings.map((sampling) => sampling >> 4), samplings.map((sampling) => sampling & 15)]
  const samples =
    across.reduce((sum, one, i) => sum + one * (down[i] ?? 0), 0) / (Math.max(...across) * Math.max(...down))
  const pixels = lengthAt(bytes, at + 5) * lengthAt(bytes, at + 7)
  return { components, isProgressive: ((bytes[at + 1] ?? 0) & 3) === 2, coefficientBytes: 2 * pixels * samples }
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
