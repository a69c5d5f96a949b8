/** Files of a deploy in a temporary directory, as a content store has them: each named by the SHA-256 of its bytes. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { contentTypeOf, type SiteFile } from '../hosting/deploys/manifest.ts'
import type { StoredContent } from '../lib/contents/content.ts'
import { emptyFolder } from './executable.ts'

export interface StoredFileOptions {
  readonly modifiedMs?: number
  /** Stores compressed variants too, also if they are larger. */
  readonly isCompressed?: boolean
}

export function createStoredFiles() {
  const { path: folder, remove } = emptyFolder()
  const pathOf = (hash: string) => join(folder, hash)

  function store(bytes: Uint8Array): StoredContent {
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    writeFileSync(pathOf(hash), bytes)
    return { hash, size: bytes.length }
  }

  return {
    pathOf,
    remove,
    /** Stores a file and returns its entry in a manifest. */
    add(path: string, content: string | Uint8Array, options: StoredFileOptions = {}): SiteFile {
      const { modifiedMs = Date.UTC(2026, 10, 1), isCompressed = false } = options
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      return {
        path,
        ...store(bytes),
        contentType: contentTypeOf(path),
        modifiedMs,
        ...(isCompressed ? { encodings: { br: store(brotliCompressSync(bytes)), gzip: store(gzipSync(bytes)) } } : {}),
      }
    },
  }
}
/** Looks up files in a list of them, as a site does. */
export function findIn(files: readonly SiteFile[]): (path: string) => SiteFile | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return (path) => byPath.get(path)
}
