/**
 * Compresses the text files of a deploy after it went live, one at a time in the thread pool, so that requests are
 * served meanwhile. What is compressed is content-addressed like everything else.
 */

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { BrotliCompress, Gzip } from 'node:zlib'
import type { ContentBatch } from '../../lib/contents/batch.ts'
import { storageError } from '../../lib/contents/disk.ts'
import type { ContentStore } from '../../lib/contents/store.ts'
import { nodeZlib } from '../../lib/late-modules.ts'
import { isCompressible, isPacked, type Manifest, type SiteFile } from './manifest.ts'

export type Encodings = NonNullable<SiteFile['encodings']>

/** Smaller files fit into one packet as they are. */
const minimumBytes = 512
/** Larger files stay as they are: they would keep a core busy for minutes. */
const maximumBytes = 50 * 1_048_576
/** Up to this size the best quality is worth its time: about a second for a megabyte. */
const bestQualityBytes = 1_048_576

export interface CompressOptions {
  readonly store: Pick<ContentStore, 'pathOf'>
  /** Where the compressed contents are added. It is neither committed nor closed here. */
  readonly batch: Pick<ContentBatch, 'add'>
  /** The encodings of a content in an earlier deploy, whose files are still stored. */
  readonly known?: (hash: string) => Encodings | undefined
  /** Ends the work before the next file; the files so far keep their encodings. */
  readonly signal?: AbortSignal
}

/**
 * The manifest with brotli and gzip forms of its compressible files, each only where it saves at least a tenth. Throws
 * `storage_unavailable`.
 */
export async function compress(manifest: Manifest, options: CompressOptions): Promise<Manifest> {
  const done = new Map<string, Encodings>()
  const result: SiteFile[] = []
  for (const file of manifest) {
    if (options.signal?.aborted || !isWorthwhile(file)) {
      result.push(file)
      continue
    }
    const encodings = done.get(file.hash) ?? options.known?.(file.hash) ?? (await encode(file, options))
    done.set(file.hash, encodings)
    result.push(encodings.br || encodings.gzip ? { ...file, encodings } : file)
  }
  return result
}

/**
 * Whether a file may have compressed forms: text of some size that has none yet. Equal contents may differ in their
 * types.
 */
export function isWorthwhile({ path, size, contentType, encodings }: SiteFile): boolean {
  const isOfSize = size >= minimumBytes && size <= maximumBytes
  return encodings === undefined && isOfSize && isCompressible(contentType) && !isPacked(path)
}

async function encode({ hash, size }: SiteFile, { store, batch }: CompressOptions): Promise<Encodings> {
  const path = store.pathOf(hash)
  try {
    const forms = size <= bestQualityBytes ? await compressAtOnce(path) : compressStreamed(path)
    const [br, compressed] = [await batch.add(forms.br), await batch.add(forms.gzip)]
    const isSmaller = (content: { size: number }) => content.size <= size * 0.9
    return { ...(isSmaller(br) && { br }), ...(isSmaller(compressed) && { gzip: compressed }) }
  } catch (error) {
    throw storageError(error)
  }
}

async function compressAtOnce(path: string) {
  const content = await readFile(path)
  const { brotliCompress, constants, gzip } = nodeZlib()
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  return {
    br: [await promisify(brotliCompress)(content, { params })],
    gzip: [await promisify(gzip)(content, { level: 9 })],
  }
}

/** Quality 5 takes about as long as gzip and compresses better. */
function compressStreamed(path: string) {
  const { constants, createBrotliCompress, createGzip } = nodeZlib()
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return { br: piped(path, createBrotliCompress({ params })), gzip: piped(path, createGzip({ level: 6 })) }
}

async function* piped(path: string, compressor: BrotliCompress | Gzip) {
  // An error of the file destroys the compressor with it, so that the loop throws it.
  const piping = pipeline(createReadStream(path), compressor).catch(() => {})
  try {
    for await (const chunk of compressor) yield chunk as Uint8Array
  } finally {
    compressor.destroy()
    await piping
  }
}
