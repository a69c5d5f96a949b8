import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStoreId } from '../../access/owner/store-id.ts'
import { isBuilt, makeStore } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const workspace = workspacePerTest()

const at = (...names: string[]) => join(workspace.path, ...names)

describe.skipIf(!isBuilt)('serve --store-id', () => {
  test('serves the store with that id alone, and makes none where it is missing', async () => {
    makeStore(workspace.path)
    makeStore(workspace.path, { data: 'other' })
    const id = readStoreId(at('data/production.db'))
    const server = await workspace.serve(['--store-id', id])
    expect(await server.stop()).toBe(0)
    const other = await workspace.run('serve', '--port', '0', '--data', 'other', '--store-id', id)
    expect([other.code, other.out]).toEqual([1, ''])
    expect(other.err).toContain(`and ${id} is expected there: is the right disk mounted?`)
    mkdirSync(at('unmounted'))
    for (const data of ['unmounted', 'missing']) {
      const none = await workspace.run('serve', '--port', '0', '--data', data, '--store-id', id)
      expect([none.code, none.out]).toEqual([1, ''])
      expect(none.err).toStartWith(
        `petstore: There is no store at ${at(data, 'production.db')}. The store ${id} is expected`,
      )
    }
    expect([existsSync(at('missing')), existsSync(at('unmounted/production.db'))]).toEqual([false, false])
  })
})

describe.skipIf(!isBuilt)('serve --log-file', () => {
  test('logs there instead of on standard error, and exits with 1 if that is impossible', async () => {
    const server = await workspace.serve(['--log-file', 'logs.txt'])
    expect(await server.stop()).toBe(0)
    expect(await server.errors).toBe('')
    expect(readFileSync(at('logs.txt'), 'utf8')).toContain('"message":"stopping: finishing the requests in flight"')
    const failed = await workspace.run('serve', '--port', '0', '--data', 'new', '--log-file', 'missing/log')
    expect([failed.code, failed.out, existsSync(at('new'))]).toEqual([1, '', false])
    expect(failed.err).toBe(`petstore: The log file ${at('missing/log')} can't be written: there is no such file.\n`)
  })
})
