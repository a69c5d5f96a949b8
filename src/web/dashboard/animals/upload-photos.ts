/**
 * Adds photos to animals. They wait in a queue, which continues while its page is left: some animals at a time, the
 * photos of each one after the other, so that they keep their order.
 */

import { useWindowEvent } from '@mantine/hooks'
import { explain, isApiError } from '../api/error.ts'
import { invalidateTopics } from '../api/queries.ts'
import { randomId } from '../api/send.ts'
import { upload } from '../api/upload.ts'
import { SignedOutError } from '../session/session.ts'
import { createSignal, useSignal } from '../signal.ts'

/** For the picker of files, in this order: with it, Apple's devices convert their photos to JPEG. */
export const photoTypes = 'image/jpeg,image/png,image/webp'

/** The most photos of an animal. */
export const mostPhotos = 12

/** The store takes four uploads of an account at once; one is left for another window. */
const animalsAtOnce = 3
const largestFile = 20 * 2 ** 20

interface ChosenPhoto {
  readonly petId: number
  readonly file: File
}

/** A photo that is not added yet. */
export interface PhotoUpload extends ChosenPhoto {
  readonly id: string
  /** Between 0 and 1, at which the store processes it; undefined while it waits. */
  readonly part?: number | undefined
  /** Why it was not added, in words. */
  readonly problem?: string
}

/** The photos that wait, are being sent, or could not be added. */
export const photoUploads = createSignal<readonly PhotoUpload[]>([])

/** The animals to which a photo is being sent. */
const sending = new Set<number>()
/** Called when a photo is added or could not be. */
const settled = new Map<string, () => void>()

/** Adds photos behind those of their animals. Resolves with those that could not be added. */
export async function uploadPhotos(chosen: readonly ChosenPhoto[]): Promise<readonly PhotoUpload[]> {
  const added = chosen.map((photo): PhotoUpload => ({ ...photo, id: randomId() }))
  const done = added.map(({ id }) => new Promise<void>((resolve) => settled.set(id, resolve)))
  photoUploads.set([...photoUploads.get(), ...added])
  start()
  await Promise.all(done)
  const ids = new Set(added.map(({ id }) => id))
  return photoUploads.get().filter(({ id }) => ids.has(id))
}

/** Sends a photo that could not be added again; the store adds it once, even if only its response was lost. */
export function retryPhoto({ problem: _, ...photo }: PhotoUpload): void {
  replace(photo.id, { ...photo, part: undefined })
  start()
}

/** Forgets a photo that could not be added. */
export const dismissPhoto = ({ id }: PhotoUpload): void => replace(id)

const isOpen = ({ problem }: PhotoUpload): boolean => problem === undefined

/** The browser asks before it closes a window in which photos are on their way. */
export function useUploadWarning(): void {
  const isUploading = useSignal(photoUploads, (all) => all.some(isOpen))
  useWindowEvent('beforeunload', (event) => {
    if (isUploading) event.preventDefault()
  })
}

function replace(id: string, next?: PhotoUpload): void {
  photoUploads.set(photoUploads.get().flatMap((one) => (one.id === id ? (next ?? []) : one)))
}

/** Sends the next photos, as many as may be sent now. */
function start(): void {
  for (const photo of photoUploads.get()) {
    if (sending.size >= animalsAtOnce) return
    if (!isOpen(photo) || sending.has(photo.petId)) continue
    sending.add(photo.petId)
    void add(photo).finally(() => {
      sending.delete(photo.petId)
      start()
    })
  }
}

async function add(photo: PhotoUpload): Promise<void> {
  const { id } = photo
  try {
    const problem = await problemOf(photo.file)
    if (problem === undefined) await send(photo)
    replace(id, problem === undefined ? undefined : { ...photo, problem })
  } catch (error) {
    replace(id, error instanceof SignedOutError ? undefined : { ...photo, problem: wordsOf(error) })
  }
  settled.get(id)?.()
  settled.delete(id)
  void invalidateTopics(['profiles'])
}

/** Sends a photo, and waits where other uploads take all places. */
async function send(photo: PhotoUpload): Promise<void> {
  const { id, petId, file } = photo
  const onProgress = (part: number) => replace(id, { ...photo, part })
  for (;;) {
    try {
      // The store looks at the bytes; browsers name the type by the end of the name.
      await upload(`/pets/${petId}/photos`, file, 'image/jpeg', { onProgress, key: id })
      return
    } catch (error) {
      if (!isApiError(error) || (error.code !== 'too_busy' && error.status !== 429)) throw error
      replace(id, { ...photo, part: undefined })
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 5) * 1_000))
    }
  }
}

async function problemOf(file: File): Promise<string | undefined> {
  if (file.size > largestFile) return 'This file is larger than 20 MB. Choose a smaller one.'
  // A dropped folder cannot be read.
  const isReadable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      ({ byteLength }) => byteLength > 0,
      () => false,
    )
  return isReadable ? undefined : 'This file is empty or cannot be read. Choose the photo itself, not its folder.'
}

/** The store's own words say best what is wrong with a file; those of other errors begin with their title. */
function wordsOf(error: unknown): string {
  const { title, text } = explain(error)
  return isApiError(error) && error.status < 429 && error.status !== 404 ? text : `${title}. ${text}`
}
