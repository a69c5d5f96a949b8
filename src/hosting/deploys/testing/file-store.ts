/** A store of files in a directory of its own, for tests. */

import { join } from 'node:path'
import { createFileStore } from '../storage/files.ts'
import { temporaryDirectory } from './site.ts'

export const bytes = (text: string) => [Buffer.from(text)]
export const hashOf = (text: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Opens an empty store; `using` deletes it. */
export function openStore() {
  const directory = temporaryDirectory()
  const path = join(directory.path, 'files')
  return {
    path,
    store: createFileStore(path),
    [Symbol.dispose]: directory[Symbol.dispose],
  }
}

/** Stores texts together, each as one content. */
export async function put(store: ReturnType<typeof openStore>['store'], ...texts: string[]) {
  const batch = store.begin()
  for (const text of texts) await batch.add(bytes(text))
  await batch.commit()
  await batch.close()
}
