/** Images for tests, made by the program. */

import { createBitmap } from '../../demo/draw.ts'

/** A bitmap with a gradient, of which Bun makes any other format. */
function bitmap(width: number, height: number): Buffer {
  const { file, at } = createBitmap(width, height, '#000000')
  const row = Buffer.from(Array.from({ length: width * 3 }, (_, x) => (x / 3 + ((x * x) % 7)) & 255))
  for (let y = 0; y < height; y++) row.copy(file, at(0, y))
  return file
}

/** An image of a size in pixels. */
export async function imageBytes(format: 'jpeg' | 'png' | 'webp', width = 60, height = 40): Promise<Buffer> {
  return await new Bun.Image(bitmap(width, height))[format]().buffer()
}

/** A JPEG with a segment after its first marker. `marker` is the second byte of the segment's. */
export function withSegment(jpeg: Uint8Array, marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255])
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)])
}

/** The data of an EXIF segment that says how the picture is turned (TIFF 6.0, tag 274). */
export function exifOrientation(orientation: number): Buffer {
  const entry = Buffer.alloc(26)
  entry.write('II*\0', 0, 'latin1')
  entry.writeUInt32LE(8, 4)
  entry.writeUInt16LE(1, 8)
  entry.writeUInt16LE(274, 10)
  entry.writeUInt16LE(3, 12)
  entry.writeUInt32LE(1, 14)
  entry.writeUInt16LE(orientation, 18)
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), entry])
}

/** The data of segments that have parts of a colour profile of so many bytes. */
export function profileSegments(bytes: number): Buffer[] {
  const partBytes = 60_000
  const count = Math.ceil(bytes / partBytes)
  return Array.from({ length: count }, (_, i) =>
    Buffer.concat([
      Buffer.from('ICC_PROFILE\0', 'latin1'),
      Buffer.from([i + 1, count]),
      Buffer.alloc(Math.min(partBytes, bytes - i * partBytes), 7),
    ]),
  )
}

/** A JPEG whose header has another size in pixels (ITU-T T.81, annex B.2.2). */
export function withSize(jpeg: Uint8Array, width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg)
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}
