/** Images that attackers and broken programs send, made from a seed: the same ones in each run. */

import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { buildZip } from '../../../hosting/deploys/testing/zip.ts'
import { exifOrientation, imageBytes, profileSegments, withSegment, withSize } from './images.ts'

export interface HostileImage {
  readonly name: string
  readonly bytes: Uint8Array
  /** What becomes of it; either if it is not said. */
  readonly expected?: 'photo' | 'error'
}

const seed = 41

/** A PNG of zeros (PNG, third edition, chapter 11), with further chunks before its pixels. */
export function blackPng(
  width: number,
  height: number,
  { colorType = 0, bitDepth = 1, chunks = [] as readonly Uint8Array[], rows = height } = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = bitDepth
  header[9] = colorType
  const channels = [1, 0, 3, 1, 2, 0, 4][colorType] ?? 1
  const rowBytes = 1 + Math.ceil((width * channels * bitDepth) / 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', deflateSync(Buffer.alloc(rowBytes * rows))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(Bun.hash.crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A colour profile of zeros, which compress to a thousandth. */
const pngProfile = (bytes: number) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(Buffer.alloc(bytes))]))

/** A PNG with a second frame (APNG). */
function animatedPng(): Buffer {
  const numbers = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length)
    for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i)
    return bytes
  }
  const control = (sequence: number) =>
    pngChunk('fcTL', Buffer.concat([numbers(sequence, 40, 30, 0, 0), numbers(0x10064, 0).subarray(0, 6)]))
  const frame = pngChunk('fdAT', Buffer.concat([numbers(2), deflateSync(Buffer.alloc(30 * 41))]))
  const chunks = [pngChunk('acTL', numbers(2, 0)), control(0)]
  const still = blackPng(40, 30, { bitDepth: 8, chunks })
  return Buffer.concat([still.subarray(0, -12), control(1), frame, still.subarray(-12)])
}

function jpegSegment(marker: number, ...data: readonly number[]): Buffer {
  const length = data.length + 2
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data])
}

/**
 * A JPEG of one colour, of which a block takes a bit or two: huge sizes make small files (ITU-T T.81, annex B). With
 * four components it is CMYK; a progressive one makes decoders keep every coefficient.
 */
export function flatJpeg(width: number, height: number, { components = 3, isProgressive = false } = {}): Buffer {
  const ids = Array.from({ length: components }, (_, i) => i + 1)
  const sole = [1, ...Array<number>(15).fill(0), 0]
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8) * components
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...(components === 4 ? [jpegSegment(0xee, ...Buffer.from('Adobe\0\x64\0\0\0\0\0', 'latin1'))] : []),
    jpegSegment(0xdb, 0, ...Array<number>(64).fill(1)),
    jpegSegment(
      isProgressive ? 0xc2 : 0xc0,
      ...[8, height >> 8, height & 255, width >> 8, width & 255, components],
      ...ids.flatMap((id) => [id, 0x11, 0]),
    ),
    jpegSegment(0xc4, 0x00, ...sole, 0x10, ...sole),
    jpegSegment(0xda, components, ...ids.flatMap((id) => [id, 0]), 0, isProgressive ? 0 : 63, 0),
    Buffer.alloc(Math.ceil((blocks * (isProgressive ? 1 : 2)) / 8)),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** A WebP of one frame as an animation of two (RFC 9649, section 2.7.1.1). */
function animatedWebp(still: Buffer, width: number, height: number): Buffer {
  const chunk = (type: string, ...data: readonly Uint8Array[]) => {
    const body = Buffer.concat(data)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(body.length)
    return Buffer.concat([Buffer.from(type, 'latin1'), size, body, Buffer.alloc(body.length % 2)])
  }
  const number = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])
  const size = [number(width - 1), number(height - 1)]
  const frame = chunk('ANMF', number(0), number(0), ...size, number(100), Buffer.from([0]), still.subarray(12))
  const header = chunk('VP8X', Buffer.from([0x02, 0, 0, 0]), ...size)
  return chunk('RIFF', Buffer.from('WEBP'), header, chunk('ANIM', Buffer.alloc(6)), frame, frame)
}

function withProfile(jpeg: Buffer, bytes: number): Buffer {
  return profileSegments(bytes).reduceRight((image, data) => withSegment(image, 0xe2, data), jpeg)
}

/** Images that are unusual and right. */
async function rightImages(): Promise<readonly HostileImage[]> {
  const jpeg = await imageBytes('jpeg', 120, 90)
  const webp = await imageBytes('webp', 120, 90)
  const images: Readonly<Record<string, Buffer>> = {
    JPEG: jpeg,
    'progressive JPEG': await new Bun.Image(jpeg).jpeg({ progressive: true }).buffer(),
    'grey JPEG': flatJpeg(120, 90, { components: 1 }),
    'CMYK JPEG': flatJpeg(120, 90, { components: 4 }),
    'progressive CMYK JPEG': flatJpeg(120, 90, { components: 4, isProgressive: true }),
    'JPEG with a profile of 3 MB': withProfile(jpeg, 3_000_000),
    'JPEG with a film behind it': Buffer.concat([jpeg, Buffer.alloc(300_000, 'film')]),
    PNG: await imageBytes('png', 120, 90),
    'PNG with a palette': await new Bun.Image(jpeg).png({ palette: true }).buffer(),
    'PNG of 1 bit': blackPng(120, 90),
    'PNG of 16 bits with alpha': blackPng(120, 90, { colorType: 6, bitDepth: 16 }),
    'grey PNG with alpha': blackPng(120, 90, { colorType: 4, bitDepth: 8 }),
    'animated PNG': animatedPng(),
    'PNG of 1 × 1': blackPng(1, 1),
    'PNG of 9000 × 20': blackPng(9_000, 20, { colorType: 2, bitDepth: 8 }),
    'PNG of 20 × 9000': blackPng(20, 9_000, { colorType: 2, bitDepth: 8 }),
    WebP: webp,
    'lossless WebP': await new Bun.Image(jpeg).webp({ lossless: true }).buffer(),
    'WebP with alpha': await new Bun.Image(blackPng(40, 30, { colorType: 6, bitDepth: 8 })).webp().buffer(),
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 8].map((turn) => [`JPEG turned ${turn}`, withSegment(jpeg, 0xe1, exifOrientation(turn))]),
    ),
  }
  return Object.entries(images).map(([name, bytes]) => ({ name, bytes, expected: 'photo' }))
}

/** Small files that would need much memory or time. */
export async function bombs(): Promise<readonly HostileImage[]> {
  const jpeg = await imageBytes('jpeg', 120, 90)
  return [
    { name: 'PNG of 50 megapixels', bytes: blackPng(8_600, 5_800), expected: 'photo' },
    { name: 'JPEG of 50 megapixels', bytes: flatJpeg(8_600, 5_800), expected: 'photo' },
    { name: 'PNG of 51 megapixels', bytes: blackPng(8_600, 5_900), expected: 'error' },
    { name: 'PNG of 65,000 × 65,000', bytes: blackPng(65_000, 65_000, { rows: 100 }), expected: 'error' },
    { name: 'PNG of 2^31 × 2^31', bytes: blackPng(2 ** 31 - 1, 2 ** 31 - 1, { rows: 0 }), expected: 'error' },
    { name: 'PNG of 0 × 0', bytes: blackPng(0, 0), expected: 'error' },
    { name: 'JPEG of 65,535 × 65,535', bytes: withSize(jpeg, 65_535, 65_535), expected: 'error' },
    { name: 'JPEG of 0 × 0', bytes: withSize(jpeg, 0, 0), expected: 'error' },
    { name: 'PNG with a profile of 200 MB', bytes: blackPng(120, 90, { chunks: [pngProfile(200_000_000)] }) },
    { name: 'PNG with more rows than it says', bytes: blackPng(120, 90, { rows: 9_000_000 }) },
    { name: 'PNG with a gigabyte of text', bytes: manyTexts(100), expected: 'photo' },
    { name: 'PNG of 1 × 50,000,000', bytes: blackPng(1, 50_000_000), expected: 'error' },
    { name: 'JPEG of 100,000 scans', bytes: manyScans(100_000), expected: 'error' },
    {
      name: 'progressive CMYK JPEG of 50 megapixels',
      bytes: flatJpeg(8_600, 5_800, { components: 4, isProgressive: true }),
      expected: 'error',
    },
    {
      name: 'progressive JPEG of 38 megapixels',
      bytes: flatJpeg(7_600, 5_000, { isProgressive: true }),
      expected: 'photo',
    },
  ]
}

/** A progressive JPEG of 50 megapixels with so many scans of 100 bytes, each of which says that there is nothing. */
export function manyScans(count: number): Buffer {
  const jpeg = flatJpeg(8_600, 5_800, { components: 1, isProgressive: true })
  const table = jpegSegment(0xc4, 0x10, 1, ...Array<number>(15).fill(0), 0xe0)
  const scan = Buffer.concat([jpegSegment(0xda, 1, 1, 0, 1, 63, 0), Buffer.alloc(92)])
  return Buffer.concat([jpeg.subarray(0, -2), table, ...Array<Buffer>(count).fill(scan), jpeg.subarray(-2)])
}

/** A PNG with so many texts of 10 MB, which compress to 10 kB. */
function manyTexts(count: number): Buffer {
  const text = deflateSync(Buffer.alloc(10_000_000))
  const chunks = Array.from({ length: count }, (_, i) =>
    pngChunk('zTXt', Buffer.concat([Buffer.from(`text ${i}\0\0`, 'latin1'), text])),
  )
  return blackPng(120, 90, { chunks })
}

/** Files that are no image of a format that photos can have. */
const others: readonly HostileImage[] = Object.entries({
  nothing: '',
  text: 'a photo of a cat',
  SVG: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  HTML: '<!doctype html><script>alert(1)</script>',
  GIF: 'GIF89a\x01\0\x01\0\0\0\0;',
  HEIC: '\0\0\0\x18ftypheic\0\0\0\0mif1heic',
  AVIF: '\0\0\0\x18ftypavif\0\0\0\0',
  TIFF: 'II*\0\x08\0\0\0',
  BMP: 'BM\x46\0\0\0',
  PDF: '%PDF-1.7\n',
  'the first bytes of a JPEG': '\xff\xd8\xff',
  'the first bytes of a PNG': '\x89PNG\r\n\x1a\n',
  'the first bytes of a WebP': 'RIFF\x04\0\0\0WEBP',
}).map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1'), expected: 'error' }))

/** Damages an image in one of the ways in which files are damaged. */
type Damage = (bytes: Buffer, at: number, value: number) => Buffer

const polyglots: readonly Uint8Array[] = [
  buildZip([{ name: 'index.html', content: '<script>alert(1)</script>' }]),
  Buffer.from('<!doctype html><script>alert(1)</script>'),
  Buffer.from('%PDF-1.7\n%%EOF'),
  Buffer.from('<?php system($_GET[0]); ?>'),
]

const damages: Readonly<Record<string, Damage>> = {
  'cut off': (bytes, at) => bytes.subarray(0, at),
  'with a flipped bit': (bytes, at, value) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (value % 8))
    return bytes
  },
  'with a false length': (bytes, at, value) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.alloc(4, value), bytes.subarray(at + 4)]),
  'with zeros to the end': (bytes, at) => bytes.fill(0, at),
  'with a part twice': (bytes, at, value) => Buffer.concat([bytes.subarray(0, at + value), bytes.subarray(at)]),
  'without a part': (bytes, at, value) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + value)]),
  'with another file behind it': (bytes, _, value) =>
    Buffer.concat([bytes, polyglots[value % polyglots.length] as Uint8Array]),
  'with another file in it': (bytes, at, value) =>
    Buffer.concat([bytes.subarray(0, at), polyglots[value % polyglots.length] as Uint8Array, bytes.subarray(at)]),
}

/** `count` images: the right ones, those of other formats, and damaged ones. */
export async function hostileImages(count: number): Promise<readonly HostileImage[]> {
  const right = await rightImages()
  const webp = animatedWebp(await imageBytes('webp', 60, 40), 60, 40)
  const named = [...right, { name: 'animated WebP', bytes: webp }, ...others]
  // Damage near the beginning reaches more of a decoder.
  const position = fc.oneof(fc.nat(9_999), fc.nat(999)).map((part) => part / 10_000)
  const damaged = fc
    .tuple(fc.nat(right.length), fc.constantFrom(...Object.keys(damages)), position, fc.nat(255))
    .map(([i, damage, part, value]): HostileImage => {
      const { name, bytes } = named[i] as HostileImage
      // The film and the profile of the largest would be all that is damaged.
      const copy = Buffer.from(bytes.subarray(0, 400_000))
      return {
        name: `${name}, ${damage}`,
        bytes: (damages[damage] as Damage)(copy, Math.floor(part * copy.length), value),
      }
    })
  return [...named, ...fc.sample(fc.noBias(damaged), { numRuns: count - named.length, seed })]
}
