import { expect, test } from 'bun:test'
import type { SiteFile } from '../manifest.ts'
import { compressLive } from './compress-live.ts'
import { rowsPerStep } from './publish.ts'

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
