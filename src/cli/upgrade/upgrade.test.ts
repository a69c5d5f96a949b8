import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentVersion } from '../../database/migrate.ts'
import { createOldStore, olderVersions } from '../../database/testing/old-store.ts'
import { executable, isBuilt } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'
import { schemaOf } from './executable.ts'

describe.skipIf(!isBuilt)('petstore upgrade', () => {
  const workspace = workspacePerTest()

  const at = (path: string) => join(workspace.path, path)
  const database = () => at('data/production.db')

  /** An executable that says its version, and runs `serve` for everything else. */
  function fake(serve: string, databaseVersion = currentVersion): string {
    const line = JSON.stringify({ version: '9.9.9', commit: '0123456789ab', databaseVersion })
    writeFileSync(at('fake'), `#!/bin/sh\n[ "$1" != version ] || { echo '${line}'; exit; }\n${serve}\n`)
    chmodSync(at('fake'), 0o755)
    return at('fake')
  }

  test('tries the new executable on a copy while the server runs, and says what to do without a service', async () => {
    const server = await workspace.serve()
    const tried = await workspace.run('upgrade', executable)
    expect([tried.code, tried.out]).toEqual([
      0,
      expect.stringMatching(
        /^petstore 1\.\S+ .*works on a copy of the store\.\n\nThere is no service .*\n\n1\. Stop the server\./s,
      ),
    ])
    expect(tried.err).toMatch(/^petstore: Trying petstore .* on a copy of .*production\.db\.\n$/)
    const json = JSON.parse((await workspace.run('upgrade', executable, '--json')).out)
    expect(json).toMatchObject({ works: true, databaseVersion: currentVersion })
    expect((await fetch(`${server.ready.url}/readyz`)).status).toBe(200)
    expect(readdirSync(at('data')).filter((name) => name.includes('trial'))).toEqual([])
    expect(readdirSync(at('data')).includes('backups')).toBe(false)
  })

  test('migrates the copy, and leaves the store of an older version as it is', async () => {
    mkdirSync(at('data'))
    const [oldest = 27] = olderVersions
    createOldStore(database(), oldest, (table) => table === 'audit')
    expect(await workspace.run('upgrade', executable)).toMatchObject({ code: 0 })
    expect(schemaOf(database())).toBe(oldest)
  })

  test('no variable of this petstore reaches the tried one', async () => {
    await (await workspace.serve()).stop()
    const file = fake(`env | grep PETSTORE_ >&2; env | grep -q PETSTORE_ || echo none >&2; exit 1`)
    const { code, err } = await workspace.run('upgrade', file)
    expect([code, err]).toEqual([1, expect.stringContaining('it does not start: none. Nothing was changed.')])
  })

  test('refuses an executable that fails on the copy, and says why', async () => {
    await (await workspace.serve()).stop()
    const failing = async (serve: string, databaseVersion?: number) => {
      const { code, out, err } = await workspace.run('upgrade', fake(serve, databaseVersion))
      expect([code, out, readdirSync(at('data')).filter((name) => name.includes('trial'))]).toEqual([1, '', []])
      return err.split('\n').at(-2)
    }
    const begin = 'petstore: The new petstore fails on a copy of the store: '
    expect(await failing('echo petstore: The disk is green. >&2; exit 1')).toBe(
      `${begin}it does not start: The disk is green. Nothing was changed.`,
    )
    expect(await failing('exit 1')).toBe(`${begin}it does not start: it printed nothing. Nothing was changed.`)
    expect(await failing('echo \'{"url":"http://127.0.0.1:9"}\'; exec sleep 60')).toBe(
      `${begin}it is not ready: /readyz answers nothing. Nothing was changed.`,
    )
    expect(await failing('echo The disk is green.; exec sleep 60')).toBe(
      `${begin}it does not print its address as JSON when it starts. Nothing was changed.`,
    )
    expect(await failing(`exec ${executable} "$@"`, currentVersion + 1)).toBe(
      `${begin}it leaves a database of version ${currentVersion}. Nothing was changed.`,
    )
  })

  test('a second one at the same time says that another is under way, and does not disturb the first', async () => {
    await (await workspace.serve()).stop()
    const slow = fake(`touch ${at('begun')}; until [ -e ${at('end')} ]; do sleep 0.05; done; exec ${executable} "$@"`)
    const first = workspace.run('upgrade', slow)
    while (!existsSync(at('begun'))) await Bun.sleep(10)
    expect(await workspace.run('upgrade', executable)).toEqual({
      code: 1,
      out: '',
      err: 'petstore: An upgrade is under way: wait until it has ended. Nothing was changed.\n',
    })
    writeFileSync(at('end'), '')
    expect(await first).toMatchObject({ code: 0 })
    expect(await workspace.run('upgrade', executable)).toMatchObject({ code: 0 })
  })

  test('refuses a file that is not a petstore for this machine, and an older one', async () => {
    await (await workspace.serve()).stop()
    const refused = async (file: string) => {
      const { code, err } = await workspace.run('upgrade', file)
      return [code, err.trim()]
    }
    writeFileSync(at('text'), 'hello')
    expect(await refused('absent')).toEqual([
      1,
      `petstore: ${at('absent')} can't be used: there is no such file. Nothing was changed.`,
    ])
    expect(await refused('text')).toEqual([
      1,
      `petstore: ${at('text')} can't be used: it may not be executed: chmod +x ${at('text')}. Nothing was changed.`,
    ])
    chmodSync(at('text'), 0o755)
    expect((await refused('text'))[1]).toContain("text can't be used: it is no")
    expect((await refused('/bin/echo'))[1]).toContain("/bin/echo can't be used: it is not a petstore")
    expect(await refused(fake('', currentVersion - 1))).toEqual([
      1,
      `petstore: The store has database version ${currentVersion}, and that petstore supports version ${currentVersion - 1}: it is older. Nothing was changed. docs/guide/upgrade.md says how to go back.`,
    ])
  })
})
