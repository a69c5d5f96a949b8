/** `petstore pets photos …`: adds, lists and removes the photos of an animal. */

import { readFile, stat } from 'node:fs/promises'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { systemReason } from '../../lib/system-error.ts'
import { formatOf } from '../../shop/photos/encode.ts'
import { maximumPhotoBytes } from '../../shop/photos/endpoints.ts'
import type { Photo } from '../../shop/photos/schemas.ts'
import type { Profile } from '../../shop/profiles/schemas.ts'
import { idOf } from '../arguments.ts'
import { callAndPrint } from '../client/client.ts'
import { onStore } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { formatRecords } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'

const largest = `${maximumPhotoBytes / 1_048_576} MiB`

export const petsPhotosAdd: Command = {
  name: 'pets photos add',
  summary: 'add photos to an animal',
  details: `A photo is a JPEG, PNG or WebP file of at most ${largest}. The photos follow those that the animal has, in the order of the files. A file that cannot become a photo is named; the others are added, and the exit code is 1.`,
  operands: 'ID FILE …',
  arity: [2, Number.POSITIVE_INFINITY],
  completes: 'file',
  changesStore: true,
  examples: ['pets photos add 42 cat.jpg', 'pets photos add 42 A-1042-1.jpg A-1042-2.jpg --json'],
  run: (invocation: Invocation) => {
    const { positionals, terminal } = invocation
    const [given, ...files] = positionals
    const path = photosOf(idOf('ID', given))
    return callAndPrint(invocation, async (client) => {
      const bar = createProgress(terminal, systemClock)
      const added: { file: string; photo: Photo }[] = []
      const errors: { file: string; message: string }[] = []
      for (const [i, file] of files.entries()) {
        try {
          const onShare = (share: number) => bar.update(`Uploading ${i + 1} of ${files.length}`, share)
          added.push({ file, photo: await client.upload<Photo>(path, await readPhoto(file, onShare)) })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          errors.push({ file, message: error.message })
        }
      }
      bar.clear()
      for (const { file, message } of errors) terminal.err(`petstore: ${printable(`${file}: ${message}`)}\n`)
      const words = added.map(({ file, photo }) => `Added photo ${photo.id}: ${file}, ${sizeOf(photo)}`)
      return {
        result: { added, errors },
        words: added.length === 0 ? 'No photo was added.' : words,
        code: errors.length === 0 ? 0 : 1,
      }
    })
  },
}

export const petsPhotosList: Command = {
  name: 'pets photos list',
  summary: 'list the photos of an animal',
  details: 'The addresses are those of the large files, on the host of the API; --json has those of all sizes.',
  operands: 'ID',
  arity: [1, 1],
  examples: ['pets photos list 42', 'pets photos list 42 --json'],
  run: (invocation: Invocation) => {
    const id = idOf('ID', invocation.positionals[0])
    return callAndPrint(invocation, async (client) => {
      const { photos } = await client.call<Profile>('GET', `/pets/${id}/profile`)
      const none = `Animal ${id} has no photos. Add one with: ${onStore(invocation, `petstore pets photos add ${id} FILE`)}`
      const columns = [
        { title: 'PHOTO', align: 'right', cell: (photo: Photo) => String(photo.id) },
        { title: 'SIZE', cell: sizeOf },
        { title: 'ADDRESS', cell: ({ large }: Photo) => large },
        { title: 'TEXT', cell: ({ alt }: Photo) => alt ?? '' },
      ] as const
      return { result: photos, words: photos.length > 0 ? formatRecords(columns, photos, invocation.terminal) : none }
    })
  },
}

export const petsPhotosRemove: Command = {
  name: 'pets photos remove',
  summary: 'delete a photo of an animal',
  details: 'Its addresses stop working at once.',
  operands: 'ID PHOTO',
  arity: [2, 2],
  changesStore: true,
  examples: ['pets photos remove 42 7', 'pets photos remove 42 7 --json'],
  run: (invocation: Invocation) => {
    const [id, photoId] = [idOf('ID', invocation.positionals[0]), idOf('PHOTO', invocation.positionals[1])]
    const path = `${photosOf(id)}/${photoId}`
    return callAndPrint(invocation, async (client) => {
      const photo = await client.call<Photo>('GET', path)
      await client.call('DELETE', path)
      return { result: photo, words: `Removed photo ${photoId} of animal ${id}.` }
    })
  },
}

const photosOf = (petId: number) => `/pets/${petId}/photos`

const sizeOf = ({ width, height }: Photo) => `${width} × ${height}`

const chunkBytes = 256 * 1_024

/** A file as an upload. Throws an `AppError` that does not name the file if it cannot become a photo. */
async function readPhoto(file: string, onShare: (share: number) => void) {
  const fail = (cause: unknown): never => {
    throw new AppError('not_found', `The file can't be read: ${systemReason(cause)}.`, { cause })
  }
  const stats = await stat(file).catch(fail)
  if (stats.isDirectory()) throw new AppError('invalid_body', 'This is a directory, not a file. Name the files in it.')
  if (!stats.isFile()) throw new AppError('invalid_body', 'This is not a file.')
  if (stats.size > maximumPhotoBytes) {
    throw new AppError('payload_too_large', `The file has more than ${largest}, which is the maximum.`)
  }
  const content = await readFile(file).catch(fail)

  async function* body(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += chunkBytes) yield content.subarray(at, at + chunkBytes)
  }

  return {
    type: `image/${formatOf(content)}`,
    bytes: content.length,
    body: body(),
    onProgress: (sentBytes: number) => onShare(sentBytes / content.length),
  }
}
