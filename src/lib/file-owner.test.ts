import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  emptyFolder,
  executable,
  isBuilt,
  makeStore,
  runPetstore,
  startPetstoreProcess,
} from '../testing/executable.ts'
import { giveToOwner } from './file-owner.ts'

const setpriv = Bun.which('setpriv')
const isRoot = process.getuid?.() === 0
if (!isRoot || !setpriv) console.error('SKIPPED: what root gives to the owner of the folder needs root and setpriv.')

const nobody = 65534
const asNobody = [setpriv ?? '', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

let folder: ReturnType<typeof emptyFolder>
/** The directory of the user that runs the service. */
let home: string
beforeEach(() => {
  folder = emptyFolder()
  home = join(folder.path, 'home')
  if (!isRoot) return
  chownSync(folder.path, nobody, nobody)
  mkdirSync(home)
  chownSync(home, nobody, nobody)
})
afterEach(() => folder.remove())

/** Everything below a directory that does not belong to `nobody`, with its owner. */
function strays(path = home): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stats: lstatSync(join(path, name)) }))
    .filter(({ stats }) => stats.uid !== nobody || stats.gid !== nobody)
    .map(({ name, stats }) => `${name} is of ${stats.uid}:${stats.gid}`)
}

async function asRoot(...args: string[]): Promise<string> {
  const { out, err, code } = await runPetstore(args, { cwd: home, stdin: 'name,categoryId\nRex,1\n' })
  if (code !== 0) throw new Error(err)
  return out
}

describe.skipIf(!isBuilt || !isRoot || !setpriv)(
  'files that root creates in the directory of another user belong to that user',
  () => {
    test.each([
      ['pets import', ['pets', 'import', '-']],
      ['demo', ['demo']],
      ['demo in a folder to be made', ['demo', '--data', 'a/b/c']],
    ])('after %s', async (_, args) => {
      await asRoot(...args)
      expect(strays()).toEqual([])
    })

    test('while a server of root runs, and after it was killed', async () => {
      const server = await startPetstoreProcess([], { cwd: home })
      await fetch(`${server.ready.url}/readyz`)
      expect(readdirSync(join(home, 'data'))).toContain('production.db-wal')
      expect(strays()).toEqual([])
      await server.kill()
      await asRoot('keys', 'list')
      expect(strays()).toEqual([])
    })

    test('the service starts as that user after each command of root, even after a backup and a restore', async () => {
      makeStore(home)
      const key = JSON.parse(await asRoot('keys', 'create', '--name', 'Till', '--json')).key
      const { file } = JSON.parse(await asRoot('backup', 'create', '--json'))
      await asRoot('backup', 'restore', file)
      expect(strays()).toEqual([])
      const server = await startPetstoreProcess([], { cwd: home }, asNobody)
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const body = '{"name":"Rex","categoryId":1}'
      // Commands of root do not change the owner while the service runs either.
      await asRoot('pets', 'import', '-')
      await asRoot('backup', 'create')
      const added = await fetch(`${server.ready.url}/v1/pets`, { method: 'POST', headers, body })
      expect([added.status, strays()]).toEqual([201, []])
      expect(await server.stop()).toBe(0)
    })

    test('a store that belongs to root because of an earlier version gets its owner back with root’s next command', async () => {
      makeStore(home)
      chownSync(join(home, 'data/production.db'), 0, 0)
      await asRoot('keys', 'list')
      expect(strays()).toEqual([])
    })
  },
)

describe.skipIf(!isBuilt || !isRoot || !setpriv)('a file that root has put into the directory of another user', () => {
  const path = (name: string) => join(home, 'data', name)
  const doctor = async () => {
    const { out } = await runPetstore(['doctor', '--json'], { cwd: home })
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; message: string; fix: string }[] }
    return checks.find(({ name }) => name === 'data_directory')
  }

  test('is a fault for doctor, asked as root and through the server', async () => {
    makeStore(home)
    expect(await doctor()).toMatchObject({ ok: true })
    mkdirSync(path('backups'), { mode: 0o700 })
    const words = {
      ok: false,
      message: expect.stringContaining(`${path('backups')} cannot be used: `),
      fix: expect.stringContaining(
        `sudo chown -R ${nobody}:${nobody} ${join(home, 'data')}, or for a service: sudo petstore service install`,
      ),
    }
    expect(await doctor()).toMatchObject(words)
    chownSync(path('backups'), nobody, nobody)
    expect(await doctor()).toMatchObject({ ok: true })
    const server = await startPetstoreProcess([], { cwd: home }, asNobody)
    chownSync(path('backups'), 0, 0)
    expect(await doctor()).toMatchObject(words)
    expect((await doctor())?.message).toContain('its owner is the user 0, and its mode is 700')
    await server.stop()
  })

  test('ends the start of a service with its owner and what to do', async () => {
    makeStore(home)
    chownSync(path('production.db'), 0, 0)
    chmodSync(path('production.db'), 0o600)
    const command = [...asNobody, executable, 'serve', '--port', '0', '--store-id', 'any']
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: home })
    expect([exitCode, stderr.toString()]).toEqual([
      1,
      `petstore: ${path('production.db')} can't be used: the user that runs petstore may not read and write it; its owner is the user 0 and its mode 600. Run it with sudo or as its owner, or change it with chown or chmod. To give the whole store to the user of the service, run: sudo petstore service install\n`,
    ])
  })
})

describe.skipIf(!isRoot)(
  'root does not change the owner of other files that the owner of the directory has linked there',
  () => {
    test('not of the target of a symbolic link, and not of a file with a hard link elsewhere', () => {
      const secret = join(folder.path, 'secret')
      writeFileSync(secret, 'root’s')
      symlinkSync(secret, join(home, 'link'))
      linkSync(secret, join(home, 'second-name'))
      for (const name of ['link', 'second-name', 'missing']) giveToOwner(join(home, name))
      expect(lstatSync(secret).uid).toBe(0)
    })

    test('not in a directory of root', () => {
      writeFileSync(join(folder.path, 'file'), '')
      chownSync(folder.path, 0, 0)
      giveToOwner(join(folder.path, 'file'))
      expect(lstatSync(join(folder.path, 'file')).uid).toBe(0)
    })
  },
)
