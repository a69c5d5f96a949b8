import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { essentialPng, imageFormat, jpegFault, unreadableFormat, withoutLargeProfile } from './image.ts'
import { blackPng, flatJpeg, manyScans, pngChunk } from './testing/hostile.ts'
import { imageBytes, profileSegments, withSegment } from './testing/images.ts'

const jpeg = await imageBytes('jpeg')
const isWhole = (bytes: Uint8Array) => jpegFault(bytes) === undefined

test('a format is recognised by the first bytes', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    expect(imageFormat(await imageBytes(format))).toBe(format)
  }
  for (const text of ['', 'RIFF', 'RIFF____WAVE', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a']) {
    expect(imageFormat(Buffer.from(text))).toBeUndefined()
  }
})

test('formats that cameras and browsers make have a name', () => {
  const named = (text: string) => unreadableFormat(Buffer.from(text, 'latin1'))
  expect(named('\0\0\0\x18ftypheic')).toBe('HEIC')
  expect(named('\0\0\0\x18ftypmif1')).toBe('HEIC')
  expect(named('\0\0\0\x18ftypavif')).toBe('AVIF')
  expect(named('\0\0\0\x18ftypisom')).toBeUndefined()
  expect(named('GIF89a')).toBe('GIF')
  expect(named('BM1234')).toBe('BMP')
  expect(named('II*\0')).toBe('TIFF')
  expect(named('%PDF-1.7')).toBeUndefined()
})

test('a JPEG is whole only with its end marker, whatever follows that', () => {
  expect(isWhole(jpeg)).toBe(true)
  const end = jpeg.length - 2
  fc.assert(fc.property(fc.nat(end), (length) => !isWhole(jpeg.subarray(0, length))))
  fc.assert(fc.property(fc.uint8Array(), (film) => isWhole(Buffer.concat([jpeg, film]))))
})

test('the end marker of a preview in the metadata is not that of the image', async () => {
  const preview = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), await imageBytes('jpeg', 16, 16)])
  const withPreview = withSegment(jpeg, 0xe1, preview)
  expect(isWhole(withPreview)).toBe(true)
  expect(isWhole(withPreview.subarray(0, -2))).toBe(false)
})

test('any bytes after a first marker are read to an end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      isWhole(Buffer.concat([Buffer.from([0xff, 0xd8]), bytes]))
      withoutLargeProfile(Buffer.concat([Buffer.from([0xff, 0xd8]), bytes]), 'jpeg')
      withoutLargeProfile(Buffer.concat([Buffer.from('RIFF____WEBP'), bytes]), 'webp')
      essentialPng(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), bytes]))
    }),
  )
})

test('a JPEG that needs much memory or time is expensive', () => {
  const progressive = { isProgressive: true }
  expect(jpegFault(flatJpeg(7_600, 5_000, progressive))).toBeUndefined()
  expect(jpegFault(flatJpeg(8_600, 5_800, progressive))).toBe('expensive')
  expect(jpegFault(flatJpeg(8_600, 5_800))).toBeUndefined()
  expect(jpegFault(flatJpeg(7_000, 5_000, { ...progressive, components: 4 }))).toBe('expensive')
  expect(jpegFault(manyScans(99))).toBeUndefined()
  expect(jpegFault(manyScans(100))).toBe('expensive')
})

test('only what the picture of a PNG needs is decoded', () => {
  const png = blackPng(30, 20)
  const chunks = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'acTL'].map((type) => pngChunk(type, Buffer.alloc(50)))
  expect(essentialPng(Buffer.concat([blackPng(30, 20, { chunks }), pngChunk('fdAT', Buffer.alloc(9))]))).toEqual(png)
  const kept = ['tRNS', 'iCCP'].map((type) => pngChunk(type, Buffer.alloc(50)))
  expect(essentialPng(blackPng(30, 20, { chunks: kept }))).toEqual(blackPng(30, 20, { chunks: kept }))
  expect(essentialPng(blackPng(1, 65_535))).toBeDefined()
  expect(essentialPng(blackPng(1, 65_536))).toBeUndefined()
})

function jpegWithProfile(bytes: number): Buffer {
  return profileSegments(bytes).reduceRight((image, data) => withSegment(image, 0xe2, data), jpeg)
}

test('a colour profile of more than 16 KiB is cut out of a JPEG, a smaller one stays', () => {
  const small = jpegWithProfile(3_000)
  expect(withoutLargeProfile(small, 'jpeg')).toBe(small)
  for (const bytes of [17_000, 200_000]) {
    expect(withoutLargeProfile(jpegWithProfile(bytes), 'jpeg')).toEqual(jpeg)
  }
})

test('a colour profile of more than 16 KiB is cut out of a WebP', async () => {
  const webp = Buffer.from(await new Bun.Image(new Uint8Array(jpegWithProfile(40_000))).webp().bytes())
  expect(webp.indexOf('ICCP')).toBeGreaterThan(0)
  const cut = withoutLargeProfile(webp, 'webp')
  expect(Buffer.from(cut).indexOf('ICCP')).toBe(-1)
  expect(cut.length).toBeLessThan(webp.length - 40_000)
  expect(await new Bun.Image(cut).metadata()).toEqual({ width: 60, height: 40, format: 'webp' })
})
