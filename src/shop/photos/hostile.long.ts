import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from '../../lib/contents/testing/content-store.ts'
import { AppError } from '../../lib/error.ts'
import { createWorkspace, emptyFolder, isBuilt } from '../../testing/executable.ts'
import { encodePhoto } from './encode.ts'
import { bombs, type HostileImage, hostileImages } from './testing/hostile.ts'

const images = await hostileImages(2_000)
const clearErrors = ['invalid_body', 'unsupported_media_type']

test('each of 2,000 hostile images becomes three clean files or has a clear error', async () => {
  using folder = emptyFolder()
  const paths = Object.fromEntries(
    ['upload', 'large', 'medium', 'small'].map((name) => [name, join(folder.path, name)]),
  )
  const { upload = '', large = '', medium = '', small = '' } = paths
  let photos = 0
  for (const [i, { name, bytes, expected }] of images.entries()) {
    writeFileSync(upload, bytes)
    const result = await encodePhoto({ upload, large, medium, small }).catch((error: unknown) => error)
    const outcome = result instanceof AppError && clearErrors.includes(result.code) ? 'error' : 'photo'
    expect([i, name, outcome]).toEqual([i, name, expected ?? outcome])
    if (outcome === 'error') continue
    photos++
    const { width, height } = result as { readonly width: number; readonly height: number }
    for (const [path, format] of [
      [large, 'jpeg'],
      [medium, 'webp'],
      [small, 'webp'],
    ] as const) {
      const file = readFileSync(path)
      expect([name, await new Bun.Image(file).metadata()]).toEqual([name, expect.objectContaining({ format })])
      expect([
        name,
        ['<script>alert', '<?php system', '%PDF-1.7', 'Exif\0\0', 'filmfilm'].filter((text) => file.includes(text)),
      ]).toEqual([name, []])
    }
    expect(width >= 1 && width <= 1_920 && height >= 1 && height <= 1_920).toBe(true)
  }
  // Otherwise nothing but the rejection would be tested.
  expect(photos).toBeGreaterThan(400)
}, 300_000)

describe.skipIf(!isBuilt)('the executable', () => {
  test('survives hostile images and bombs: its memory stays, and it has the files of its photos and no others', async () => {
    const workspace = createWorkspace()
    const { ready } = await workspace.serve()
    const { url, pid, key } = ready
    const call = (path: string, body: object | string) =>
      fetch(`${url}/v1${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': body instanceof Blob ? 'image/png' : 'application/json',
        },
        body: body instanceof Blob ? body : JSON.stringify(body),
      })
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
    const sent: readonly HostileImage[] = [...(await bombs()), ...images.filter((_, i) => i < 50 || i % 40 === 0)]
    let animal = 0
    async function send({ name, bytes, expected }: HostileImage): Promise<void> {
      const { id } = (await (await call('/pets', { name: `Animal ${++animal}`, categoryId: 1 })).json()) as {
        id: number
      }
      const response = await call(`/pets/${id}/photos`, new Blob([new Uint8Array(bytes)]))
      const { code } = (await response.json()) as { code?: string }
      const outcome =
        response.status === 201 ? 'photo' : clearErrors.includes(code ?? '') ? 'error' : `${response.status} ${code}`
      expect([name, outcome]).toEqual([name, expected ?? expect.stringMatching(/^(photo|error)$/)])
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    }
    const before = memory()
    const waiting = sent[Symbol.iterator]()
    const client = async () => {
      for (const image of waiting) await send(image)
    }
    await Promise.all([client(), client(), client()])
    expect(memory() - before).toBeLessThan(100)
    const data = join(workspace.path, 'data')
    const stored = new Database(join(data, 'production.db'), { readonly: true })
    const hashes = stored.query('SELECT DISTINCT lower(hex(hash)) FROM photo_files').values().flat() as string[]
    stored.close()
    const files = filesBelow(join(data, 'production-files'))
    expect(files).toEqual(hashes.map((hash) => `${hash.slice(0, 2)}/${hash.slice(2)}`).sort())
    expect(files.length).toBeGreaterThan(30)
    await workspace.close()
  }, 300_000)
})
