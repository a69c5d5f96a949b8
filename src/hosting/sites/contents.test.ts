import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../../lib/contents/testing/content-store.ts'
import { emptyFolder } from '../../testing/executable.ts'
import { createContents } from './contents.ts'

test('the files that were requested last are kept in memory, up to a number of bytes', async () => {
  using directory = emptyFolder()
  const size = 10_000
  const pathOf = (hash: string) => join(directory.path, hash)
  const [one, two, three] = ['1', '2', '3'].map((text) => {
    const hash = hashOf(text.repeat(size))
    writeFileSync(pathOf(hash), text.repeat(size))
    return { text, hash, size }
  }) as [Content, Content, Content]
  const contents = createContents({ pathOf }, { memoryBytes: 25_000, fileBytes: 20_000 })
  for (const content of [one, two, one, three]) await contents.read(content)
  const read = [one, three, two].map((content) => contents.read(content))
  expect(read.map((blob) => blob instanceof Promise)).toEqual([false, false, true])
  await Promise.all(read)
  expect(await (await read[0])?.text()).toBe('1'.repeat(size))
})

type Content = { readonly text: string; readonly hash: string; readonly size: number }
