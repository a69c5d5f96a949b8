import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'

describe.skipIf(!isBuilt)('the account of the store itself stays the same when it is renamed', () => {
  test.each([
    ['a first start', undefined],
    ['an import', ['pets', 'import', 'animals.csv']],
    ['the demo', ['demo']],
  ])(
    'after %s',
    async (_, first) => {
      const folder = emptyFolder()
      const run = async (...args: string[]) => {
        const { code, out, err } = await runPetstore(args, { cwd: folder.path })
        expect([args, code, err]).toEqual([args, 0, expect.any(String)])
        return out
      }
      writeFileSync(join(folder.path, 'animals.csv'), 'name,category\nAda,Cats\n')
      if (first) await run(...first)
      else await (await startPetstoreProcess([], { cwd: folder.path })).kill()
      await run('accounts', 'update', '1', '--name', 'Happy Paws')
      await run('keys', 'create', '--name', 'Partner')
      await run('pets', 'import', 'animals.csv')
      const accounts = JSON.parse(await run('accounts', 'list', '--json'))
      expect(accounts.map(({ name }: { name: string }) => name)).toEqual(['Happy Paws', 'Partner'])
      expect(JSON.parse(await run('projects', 'create', 'Website', '--json')).accountId).toBe(1)
      folder.remove()
    },
    30_000,
  )
})
