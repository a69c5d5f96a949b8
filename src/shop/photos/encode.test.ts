import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { mountDisk } from '../../testing/faults.ts'
import { encodePhoto } from './encode.ts'
import { exifOrientation, imageBytes, profileSegments, withSegment, withSize } from './testing/images.ts'

/** Encodes an upload, and returns its size and the three files. */
async function encode(bytes: Uint8Array) {
  using folder = emptyFolder()
  const paths = {
    upload: join(folder.path, 'upload'),
    large: join(folder.path, 'large'),
    medium: join(folder.path, 'medium'),
    small: join(folder.path, 'small'),
  }
  writeFileSync(paths.upload, bytes)
  const size = await encodePhoto(paths)
  const files = [paths.large, paths.medium, paths.small].map((path) => readFileSync(path))
  return { size, files, metadata: await Promise.all(files.map((file) => new Bun.Image(file).metadata())) }
}

test('a photo becomes a JPEG and two smaller WebP images', async () => {
  const { size, metadata } = await encode(await imageBytes('jpeg', 4_000, 3_000))
  expect(size).toEqual({ width: 1_920, height: 1_440 })
  expect(metadata).toEqual([
    { width: 1_920, height: 1_440, format: 'jpeg' },
    { width: 800, height: 600, format: 'webp' },
    { width: 400, height: 300, format: 'webp' },
  ])
})

test('nothing becomes larger than it was', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const { size, metadata } = await encode(await imageBytes(format, 500, 300))
    expect(size).toEqual({ width: 500, height: 300 })
    expect(metadata.map(({ width }) => width)).toEqual([500, 500, 400])
  }
  expect((await encode(await imageBytes('png', 1, 1))).size).toEqual({ width: 1, height: 1 })
  expect((await encode(await imageBytes('png', 9_000, 20))).size).toEqual({ width: 1_920, height: 4 })
})

test('a JPEG is turned upright, and only the picture remains', async () => {
  const turned = withSegment(await imageBytes('jpeg', 60, 40), 0xe1, exifOrientation(6))
  const withFilm = Buffer.concat([turned, Buffer.from('ftypmp42 52.5200N 13.4050E')])
  const { size, files } = await encode(withFilm)
  expect(size).toEqual({ width: 40, height: 60 })
  for (const file of files) {
    for (const text of ['Exif', 'ftyp', '52.52']) expect(file.indexOf(text)).toBe(-1)
  }
})

test('what is transparent in a PNG is so in the WebP images', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
  const { files } = await encode(Buffer.from(png, 'base64'))
  expect(files.map((file) => file.includes('ALPH'))).toEqual([false, true, true])
})

test('a large colour profile is in none of the three', async () => {
  const image = profileSegments(100_000).reduceRight(
    (bytes, data) => withSegment(bytes, 0xe2, data),
    await imageBytes('jpeg'),
  )
  const { files } = await encode(image)
  for (const file of files) expect(file.length).toBeLessThan(20_000)
})

test('a file that is damaged, too large or of another format says so', async () => {
  const jpeg = await imageBytes('jpeg')
  const png = await imageBytes('png')
  const cases: readonly (readonly [bytes: Uint8Array, code: string, message: RegExp])[] = [
    [Buffer.alloc(0), 'unsupported_media_type', /not a JPEG, PNG or WebP/],
    [Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'unsupported_media_type', /HEIC images can't be read.*as JPEG/],
    [jpeg.subarray(0, -2), 'invalid_body', /damaged: its end is missing/],
    [png.subarray(0, -40), 'invalid_body', /damaged: it can't be read/],
    [withSize(jpeg, 10_000, 5_001), 'invalid_body', /more than 50 megapixels/],
  ]
  for (const [bytes, code, message] of cases) {
    await expect(encode(bytes)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  }
})

test.skipIf(!mountDisk.isPossible)('a full disk is not the fault of the image', async () => {
  using folder = emptyFolder()
  const disk = mountDisk(join(folder.path, 'disk'), 100_000)
  try {
    const upload = join(folder.path, 'upload')
    writeFileSync(upload, await imageBytes('jpeg', 600, 400))
    disk.fill()
    const [large, medium, small] = ['large', 'medium', 'small'].map((name) => join(disk.path, name)) as [
      string,
      string,
      string,
    ]
    await expect(encodePhoto({ upload, large, medium, small })).rejects.toMatchObject({
      code: 'storage_unavailable',
      retryAfterSeconds: 60,
    })
  } finally {
    disk.unmount()
  }
})
