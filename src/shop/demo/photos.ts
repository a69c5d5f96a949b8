/** The drawings of the demo store as the files of photos. */

import { writeFile } from 'node:fs/promises'
import type { ContentBatch } from '../../lib/contents/batch.ts'
import { forEach } from '../../lib/contents/disk.ts'
import { encodePhoto } from '../photos/encode.ts'
import { addEncoded, type EncodedPhoto } from '../photos/receive.ts'
import { drawAnimal, type Look, looks, type Species } from './pictures.ts'

/** The photos of each look; animals that look the same share their files. */
export type DemoPhotos = ReadonlyMap<Look, readonly EncodedPhoto[]>

const encodedAtOnce = 4

/**
 * Adds the drawings to a batch, and commits it. They are encoded as uploads are, but in this process: their bytes are
 * not those of somebody else.
 */
export async function addDrawings(batch: ContentBatch): Promise<DemoPhotos> {
  const photos = new Map<Look, EncodedPhoto[]>()
  const all = Object.entries(looks).flatMap(([species, list]) => list.map((look) => ({ species, look })))
  await forEach(all, encodedAtOnce, async ({ species, look }) => {
    const encoded: EncodedPhoto[] = []
    for (const drawing of await drawAnimal(species as Species, look)) {
      await batch.reserve(drawing.length)
      const upload = `${batch.temporaryPath}-${species}-${look.color}`
      await writeFile(upload, drawing, { mode: 0o600 })
      encoded.push(await addEncoded(batch, upload, encodePhoto))
    }
    photos.set(look, encoded)
  })
  await batch.commit()
  return photos
}
