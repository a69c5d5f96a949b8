/** An empty content store for tests, and the files that it has. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../../testing/executable.ts'
import { createContentStore } from '../store.ts'

export const bytes = (text: string) => [Buffer.from(text)]
export const hashOf = (text: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Opens an empty store; `using` deletes it. */
export function openStore() {
  const directory = emptyFolder()
  const path = join(directory.path, 'files')
  return {
    path,
    store: createContentStore(path),
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

/** The files below a directory, by their relative paths. */
export function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}
