/** Receives an upload and makes it the photo of an animal. */

import type { Upload } from '../../api/endpoint.ts'
import type { UploadTurns } from '../../api/upload-turns.ts'
import type { ContentBatch } from '../../lib/contents/batch.ts'
import { saveUpload } from '../../lib/contents/save-upload.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import { AppError } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { SubprocessEnded, type Subprocesses } from '../../lib/subprocess.ts'
import { type EncodeTask, encodePhoto, type PhotoSize } from './encode.ts'
import type { NewPhoto } from './store.ts'
import { photoSizes } from './table.ts'

/** How long an image may take, in milliseconds. */
const longestEncodingMs = 60_000

export type EncodePhoto = (task: EncodeTask) => Promise<PhotoSize>

/** Encodes in a process of its own, or in this one if that is no petstore, as in test suites. */
export function createEncoder({
  self,
  subprocesses,
  log,
}: {
  readonly self: readonly string[] | undefined
  readonly subprocesses: Pick<Subprocesses, 'run'>
  readonly log: Pick<Log, 'warn'>
}): EncodePhoto {
  if (self === undefined) return encodePhoto
  return async (task) => {
    try {
      return await subprocesses.run('encode-photo', task, { silentMs: longestEncodingMs, inBackground: true })
    } catch (error) {
      if (!(error instanceof SubprocessEnded)) throw error
      log.warn('a photo could not be processed', { error })
      if (error.hasFailed) throw new AppError('invalid_body', "The image can't be processed. Send another one.")
      const message =
        'The machine has too little memory or time for the photo now. Nothing was changed; try again later.'
      throw new AppError('storage_unavailable', message, { retryAfterSeconds: 10 })
    }
  }
}

export interface ReceiveParts {
  readonly files: ContentStore
  readonly photoTurns: UploadTurns
  readonly encodePhoto: EncodePhoto
}

/** What an upload becomes: all of a photo but its animal and time. */
export type EncodedPhoto = Pick<NewPhoto, 'width' | 'height' | 'files'>

/**
 * Saves an upload of an account, encodes it and stores its files; `add` adds the photo, as the last step. Throws
 * `too_busy`, `storage_unavailable`, and what saving and encoding throw; nothing refers to the files then, and a sweep
 * deletes them.
 */
export async function receivePhoto(
  { files, photoTurns, encodePhoto }: ReceiveParts,
  accountId: number,
  upload: Upload,
  add: (photo: EncodedPhoto) => { readonly body: object; readonly location: string },
) {
  const leave = photoTurns.enter(accountId, upload.idempotencyKey)
  try {
    const batch = files.begin()
    try {
      await saveUpload(upload.chunks, batch.temporaryPath, batch.reserve)
      return await upload.once((commit) =>
        photoTurns.run(accountId, async (signal) => {
          const photo = await encodeInto(batch, encodePhoto, signal)
          return commit(() => add(photo))
        }),
      )
    } finally {
      await batch.close()
    }
  } finally {
    leave()
  }
}

async function encodeInto(batch: ContentBatch, encodePhoto: EncodePhoto, signal: AbortSignal): Promise<EncodedPhoto> {
  try {
    const photo = await addEncoded(batch, batch.temporaryPath, encodePhoto)
    await batch.commit()
    return photo
  } catch (error) {
    // The end of the service ends the process that encodes.
    signal.throwIfAborted()
    throw error
  }
}

/** Encodes an upload in the directory of a batch, and adds the files of the photo to the batch. */
export async function addEncoded(batch: ContentBatch, upload: string, encodePhoto: EncodePhoto): Promise<EncodedPhoto> {
  const paths = { large: `${upload}.large`, medium: `${upload}.medium`, small: `${upload}.small` }
  const { width, height } = await encodePhoto({ upload, ...paths })
  const files: Partial<Record<keyof typeof paths, NewPhoto['files']['large']>> = {}
  for (const size of photoSizes) files[size] = await batch.add(Bun.file(paths[size]).stream())
  return { width, height, files: files as NewPhoto['files'] }
}
