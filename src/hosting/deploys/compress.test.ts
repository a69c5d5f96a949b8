import { describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createContentStore } from '../../lib/contents/store.ts'
import { filesBelow } from '../../lib/contents/testing/content-store.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { compress, compressLive, isWorthwhile } from './compress.ts'
import { contentTypeOf, type Manifest, type SiteFile } from './manifest.ts'
import { rowsPerStep } from './publish.ts'

async function openSite(files: Readonly<Record<string, Uint8Array>>) {
  const directory = emptyFolder()
  const path = join(directory.path, 'files')
  const store = createContentStore(path)
  const batch = store.begin()
  const manifest: SiteFile[] = []
  for (const [path, content] of Object.entries(files)) {
    manifest.push({ path, ...(await batch.add([content])), contentType: contentTypeOf(path), modifiedMs: 0 })
  }
  await batch.commit()
  await batch.close()
  return {
    path,
    store,
    manifest,
    async run(options: { signal?: AbortSignal } = {}): Promise<Manifest> {
      const batch = store.begin()
      try {
        const result = await compress(manifest, { store, batch, ...options })
        await batch.commit()
        return result
      } finally {
        await batch.close()
      }
    },
    [Symbol.dispose]: directory[Symbol.dispose],
  }
}

const text = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes / 10 }, (_, at) => `line ${at % 97}\n`.padEnd(10)).join(''))
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

describe('the compressed forms of a deploy', () => {
  test('are the same contents, for small files and for large ones that are streamed', async () => {
    const files = { 'index.html': text(5000), 'data.json': text(3_000_000) }
    using site = await openSite(files)
    const result = await site.run()
    for (const { path, encodings } of result) {
      const original = files[path as keyof typeof files]
      const read = (hash = '') => readFileSync(site.store.pathOf(hash))
      expect(brotliDecompressSync(read(encodings?.br?.hash)).equals(original)).toBe(true)
      expect(gunzipSync(read(encodings?.gzip?.hash)).equals(original)).toBe(true)
      expect(encodings?.br?.size).toBe(read(encodings?.br?.hash).length)
      expect(encodings?.br?.size).toBeLessThan(original.length * 0.9)
    }
    expect(result.map(({ encodings: _, ...file }) => file)).toEqual(site.manifest)
  })

  test('are made only of text of some size that they make smaller', async () => {
    using site = await openSite({
      'a.png': text(5000),
      'b.txt': text(100),
      'c.txt': random(70_000),
      'd.txt': text(5000),
    })
    const result = await site.run()
    expect(result.filter(({ encodings }) => encodings).map(({ path }) => path)).toEqual(['d.txt'])
  })

  test('are not made of SVG that is compressed', () => {
    const file = { path: 'logo.svg', hash: '', size: 1_000, contentType: contentTypeOf('logo.svg'), modifiedMs: 0 }
    expect([file, { ...file, path: 'logo.svgz' }].map(isWorthwhile)).toEqual([true, false])
  })

  test('are made once for equal contents', async () => {
    using site = await openSite({ 'a.html': text(5000), 'b.txt': text(5000), 'c.txt': text(9000) })
    const [a, b] = await site.run()
    expect(a?.encodings).toEqual(b?.encodings ?? {})
    expect(filesBelow(site.path)).toHaveLength(2 + 4)
  })

  test('are missing for the files after the work was ended', async () => {
    using site = await openSite({ 'a.html': text(5000) })
    expect(await site.run({ signal: AbortSignal.abort() })).toEqual(site.manifest)
  })

  test('of a content that was deleted meanwhile are `storage_unavailable`', async () => {
    for (const size of [5000, 3_000_000]) {
      using site = await openSite({ 'a.html': text(size) })
      rmSync(site.store.pathOf(site.manifest[0]?.hash ?? ''))
      await expect(site.run()).rejects.toMatchObject({ code: 'storage_unavailable' })
    }
  })
})

test('requests are served between the pages of a deploy whose contents are all compressed already', async () => {
  const files = Array.from({ length: 5 * rowsPerStep }, (_, i): SiteFile => {
    const hash = String(i).padStart(64, '0')
    return { path: hash, hash, size: 1_000, contentType: 'text/html', modifiedMs: 0 }
  })
  let isCompressed = false
  let pages = 0
  let served = 0
  /** The requests that were served before each page. */
  const before: number[] = []
  const serve = () => {
    served++
    if (pages < 6) setImmediate(serve)
  }
  setImmediate(serve)
  await compressLive(
    {
      deploys: {
        nextToCompress: () => (isCompressed ? undefined : { id: 1, accountId: 1, projectId: 1 }),
        setCompressed: () => {
          isCompressed = true
        },
      },
      deployFiles: {
        page(_, after, limit) {
          before.push(served)
          const at = after === '' ? 0 : Number(after) + 1
          pages++
          return files.slice(at, at + limit)
        },
        encodingsOf: () => ({}),
        addEncodings: () => {
          throw new Error('nothing is new')
        },
        dropEncodings: () => {
          throw new Error('nothing is damaged')
        },
      },
      files: {
        pathOf: (hash) => hash,
        begin: () => {
          throw new Error('nothing is compressed')
        },
      },
      write: async (work) => work(),
      clock: { now: () => 0 },
    },
    new AbortController().signal,
  )
  expect([isCompressed, pages]).toEqual([true, 6])
  expect(new Set(before).size).toBe(6)
})
