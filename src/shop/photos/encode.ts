/**
 * Makes the three files of a photo from an upload, in a process of its own: a decoder of images is the part of the
 * service that hostile bytes reach first, and one photo takes half a second of processor.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { storageError } from '../../lib/contents/disk.ts'
import { AppError } from '../../lib/error.ts'
import {
  essentialPng,
  type ImageFormat,
  imageFormat,
  jpegFault,
  mayBeTransparent,
  unreadableFormat,
  withoutLargeProfile,
} from './image.ts'

/** The most pixels of an upload: 8,660 × 5,773. */
const maximumPixels = 50_000_000

/** The longest sides in pixels. */
const sides = { large: 1_920, medium: 800, small: 400 } as const
const qualities = { jpeg: 82, webp: 80 } as const

/** The task's input: the paths of the upload and of the files to write. */
export interface EncodeTask {
  readonly upload: string
  readonly large: string
  readonly medium: string
  readonly small: string
}

/** In pixels, of the large one. */
export interface PhotoSize {
  readonly width: number
  readonly height: number
}

/** The tasks of the separate process. */
export const photoTasks = { 'encode-photo': encodePhoto } as const

/**
 * Encodes an upload as a JPEG of at most 1,920 pixels and as WebP of 800 and 400, never larger than the upload. Only the picture and a small colour profile remain. Throws `unsupported_media_type` for a file that is no
 * JPEG, PNG or WebP, `invalid_body` for one that is damaged or has too many pixels, and `storage_unavailable` if the
 * disk is full or fails.
 */
export async function encodePhoto(task: EncodeTask): Promise<PhotoSize> {
  try {
    return await encode(task)
  } catch (error) {
    throw storageError(error)
  }
}

async function encode({ upload, ...outputs }: EncodeTask): Promise<PhotoSize> {
  const bytes = harmless(await readFile(upload))
  const large = withoutLargeProfile(
    await decoded(async () => {
      const image = new Bun.Image(bytes, { maxPixels: maximumPixels })
      return await resized(image, sides.large).jpeg({ quality: qualities.jpeg }).bytes()
    }),
    'jpeg',
  )
  await writeFile(outputs.large, large, { mode: 0o600 })
  // A JPEG has no transparency, but reading it again takes less time than reading the upload.
  const source = mayBeTransparent(bytes) ? bytes : large
  for (const name of ['medium', 'small'] as const) {
    const image = resized(new Bun.Image(source, { maxPixels: maximumPixels }), sides[name])
    const webp = await image.webp({ quality: qualities.webp }).bytes()
    await writeFile(outputs[name], withoutLargeProfile(webp, 'webp'), { mode: 0o600 })
  }
  const { width, height } = await new Bun.Image(large).metadata()
  return { width, height }
}

/** The part of an upload that a decoder may have. */
function harmless(bytes: Uint8Array): Uint8Array {
  const format = formatOf(bytes)
  const fault = format === 'jpeg' ? jpegFault(bytes) : undefined
  if (fault === 'cut') throw damaged('its end is missing')
  const harmless = format === 'png' ? essentialPng(bytes) : bytes
  if (fault === undefined && harmless) return harmless
  const advice = 'Save it as a smaller JPEG that is not progressive, and send that.'
  throw new AppError('invalid_body', `The image needs too much memory or time. ${advice}`)
}

const resized = (image: Bun.Image, side: number) =>
  image.resize(side, side, { fit: 'inside', withoutEnlargement: true })

/** The result of `decode`, or the error of a damaged file as `invalid_body`. */
async function decoded<T>(decode: () => Promise<T>): Promise<T> {
  try {
    return await decode()
  } catch (cause) {
    const { code } = cause as { readonly code?: Bun.Image.ErrorCode }
    if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') {
      throw new AppError('invalid_body', 'The image has more than 50 megapixels. Send a smaller one.', { cause })
    }
    throw damaged("it can't be read", cause)
  }
}

function damaged(fault: string, cause?: unknown): AppError {
  return new AppError('invalid_body', `The image is damaged: ${fault}. Send the original file again.`, { cause })
}

/** The format of a file by its first bytes. Throws `unsupported_media_type` for one that photos can't have. */
export function formatOf(start: Uint8Array): ImageFormat {
  const format = imageFormat(start)
  if (format !== undefined) return format
  const name = unreadableFormat(start)
  const fault = name === undefined ? 'The file is not a JPEG, PNG or WebP image.' : `${name} images can't be read here.`
  const advice = name === undefined ? 'Send a photo in one of these formats.' : 'Save it as JPEG, and send that.'
  throw new AppError('unsupported_media_type', `${fault} ${advice}`)
}
