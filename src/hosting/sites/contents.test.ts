import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../deploys/testing/file-store.ts'
import { temporaryDirectory } from '../deploys/testing/site.ts'
import { createContents } from './contents.ts'

test('a file in memory counts once, and twice when a copy of it is needed', async () => {
  using directory = temporaryDirectory()
  const size = 10_000
  const pathOf = (hash: string) => join(directory.path, hash)
  const [one, two, three] = ['1', '2', '3'].map((text) => {
    const hash = hashOf(text.repeat(size))
    writeFileSync(pathOf(hash), text.repeat(size))
    return { text, hash, size }
  }) as [Content, Content, Content]
  const contents = createContents({ pathOf }, { memoryBytes: 35_000, fileBytes: 20_000 })
  const kept = () => [one, two, three].filter((content) => contents.inMemory(content)).map(({ text }) => text)
  for (const content of [one, two, three]) await contents.read(content)
  expect(kept()).toEqual(['1', '2', '3'])
  expect(await (await contents.read(three)).text()).toBe('3'.repeat(size))
  expect(kept()).toEqual(['2', '3'])
  const copy = contents.read(three)
  expect(contents.read(three)).toBe(copy)
})

type Content = { readonly text: string; readonly hash: string; readonly size: number }
