import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../../testing/executable.ts'
import { copyStore, makeStore } from './take-over.ts'

const folder = emptyFolder()
afterAll(() => folder.remove())

test('a copy of a store that fails is removed, without what was there before', async () => {
  const store = (name: string) => ({ dataDirectory: join(folder.path, name), environment: 'production' }) as const
  const from = store('from')
  mkdirSync(join(from.dataDirectory, 'production-files'), { recursive: true })
  mkdirSync(join(from.dataDirectory, 'production-certificates'))
  await makeStore(from)
  const to = store('to')
  mkdirSync(join(to.dataDirectory, 'backups'), { recursive: true })
  writeFileSync(join(to.dataDirectory, 'backups/of-an-earlier-store.db'), '')
  // `cp` copies no directory over a file.
  writeFileSync(join(to.dataDirectory, 'production-files'), '')
  await expect(copyStore(from, to)).rejects.toThrow('cp --archive')
  const left = readdirSync(to.dataDirectory, { recursive: true }).sort()
  expect(left).toEqual(['backups', 'backups/of-an-earlier-store.db', 'production-files'])
})
