import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, makeStore, runPetstore } from '../../testing/executable.ts'
import { commands } from '../commands.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => {
  chmodSync(folder.path, 0o700)
  folder.remove()
})

const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })
const at = (...names: string[]) => join(folder.path, ...names)

describe.skipIf(!isBuilt)('a store', () => {
  test('that cannot be opened for lack of file descriptors is reported in one line', () => {
    for (const files of [6, 7, 8, 9, 10]) {
      const limited = ['/bin/sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh']
      const command = [...limited, executable, 'demo']
      const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder.path })
      const lines = stderr.toString().trim().split('\n')
      if (exitCode === 0) continue
      expect([files, lines.length, lines[0]]).toEqual([
        files,
        1,
        expect.stringMatching(/descriptor|limit of open files|too many files/),
      ])
    }
  })

  test('is created only by serve, demo and pets import; other commands fail with its path and create nothing', async () => {
    const makers = ['serve', 'demo', 'pets import']
    const withoutStore = [
      'backup verify',
      'domains check',
      'openapi',
      'completion',
      'version',
      'health',
      ...commands.map(({ name }) => name).filter((name) => name.startsWith('service ')),
      // These look at the file first.
      'upgrade',
      'backup restore',
      'login',
      'logout',
    ]
    const others = commands.map(({ name }) => name).filter((name) => ![...makers, ...withoutStore].includes(name))
    const operands: Record<string, string[]> = {
      'accounts update': ['1', '--plan', 'pro'],
      'keys create': ['--name', 'Till'],
      'pets set': ['1', 'breed=Boxer'],
      'pets photos add': ['1', import.meta.path],
      'pets photos remove': ['1', '2'],
      'settings set': ['currency=EUR'],
      deploy: [import.meta.dir, '--project', 'paws'],
      'backup keys': ['create'],
      'domains add': ['shop.example', '--project', 'paws'],
    }
    for (const name of others) {
      const command = commands.find((one) => one.name === name)
      const args = operands[name] ?? (command?.arity?.[0] === 1 ? ['1'] : [])
      for (const more of [[], ['--json']]) {
        const { code, out, err } = await petstore(...name.split(' '), ...args, ...more)
        expect([name, code, out]).toEqual([name, 1, ''])
        expect(err).toStartWith(`petstore: There is no store at ${at('data/production.db')}. `)
        expect(err.trim().split('\n')).toHaveLength(1)
      }
    }
    await petstore('backup', 'verify', 'nothing.db')
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('that is elsewhere is named where there is none', async () => {
    makeStore(folder.path)
    const { code, err } = await petstore('keys', 'create', '--name', 'Till', '--data', 'other')
    expect([code, err]).toEqual([
      1,
      `petstore: There is no store at ${at('other/production.db')}. There is one in ${at('data')}. Check --data and --environment, or create a store with: petstore serve\n`,
    ])
    expect(existsSync(at('other'))).toBe(false)
  })

  test('is named in the output of a command that creates it, or that changes it unless it is the default', async () => {
    writeFileSync(at('animals.csv'), 'name,category\nRex,Dog\n')
    const last = (out: string) => out.trimEnd().split('\n').at(-1)
    for (const args of [['demo'], ['pets', 'import', 'animals.csv']]) {
      const data = ['--data', args.join('-')]
      expect(last((await petstore(...args, ...data)).out)).toBe(
        `Created a new store: ${at(data[1] ?? '', 'production.db')}`,
      )
      const json = await petstore(...args, '--data', `${data[1]}-json`, '--json')
      expect(json.err).toBe(`Created a new store: ${at(`${data[1]}-json`, 'production.db')}\n`)
      expect(JSON.parse(json.out)).toBeObject()
    }
    makeStore(folder.path)
    await petstore('keys', 'create', '--name', 'Till')
    expect((await petstore('keys', 'create', '--name', 'Shop')).out).not.toContain('store')
    expect((await petstore('keys', 'revoke', '1', '--data', 'data')).out).not.toContain('The store is')
    makeStore(folder.path, { environment: 'staging' })
    await petstore('keys', 'create', '--name', 'Till', '--environment', 'staging')
    for (const args of [
      ['keys', 'revoke', '1'],
      ['accounts', 'update', '1', '--name', 'Shop'],
      ['keys', 'roll', '1'],
    ]) {
      const { out, err, code } = await petstore(...args, '--environment', 'staging')
      if (code === 0) expect(last(out)).toBe(`The store is ${at('data/staging.db')}`)
      else expect(err).toContain('revoked')
    }
    expect((await petstore('keys', 'list', '--environment', 'staging')).out).not.toContain('The store is')
  })
})

// Errors such as EEXIST and EACCES are caused with real files. The tests switch to another user, because root ignores
// permissions.
const hasSetpriv = Bun.which('setpriv') !== null && process.getuid?.() === 0
if (!hasSetpriv) console.error('SKIPPED: tests of missing permissions need root and setpriv.')

describe.skipIf(!isBuilt)('errors of the system', () => {
  test('of the output are printed as one line', async () => {
    const child = Bun.spawn(['bash', '-c', `${executable} openapi > /dev/full`], { stderr: 'pipe' })
    const err = await new Response(child.stderr).text()
    expect([await child.exited, err]).toEqual([1, "petstore: The output can't be written: the disk is full.\n"])
  })

  test.skipIf(!hasSetpriv)('are printed as one line without an error code', async () => {
    chmodSync(folder.path, 0o755)
    mkdirSync(at('read-only'), { mode: 0o555 })
    writeFileSync(at('read-only/production.db'), '', { mode: 0o444 })
    writeFileSync(at('file'), '')
    writeFileSync(at('secret.csv'), 'name,category\nRex,Dog\n', { mode: 0o000 })
    writeFileSync(at('animals.csv'), 'name,category\nRex,Dog\n', { mode: 0o644 })
    symlinkSync('loop', at('loop'))
    const long = 'x'.repeat(300)
    const cases: [args: string[], words: string][] = [
      [['serve', '--port', '0', '--data', 'file'], 'it is not a directory'],
      [['serve', '--port', '0', '--data', 'file/below'], 'a part of its path is a file, not a directory'],
      [['serve', '--port', '0', '--data', 'read-only/below'], 'its permissions forbid it'],
      [['serve', '--port', '0', '--data', long], 'its name is too long'],
      [['serve', '--ephemeral', '--host', '10.9.9.9'], 'this machine does not have that address'],
      [['serve', '--ephemeral', '--host', 'nonsense'], 'it is not an address of this machine'],
      [['demo', '--data', 'loop'], 'its symbolic links lead in a circle'],
      [['pets', 'import', 'secret.csv'], 'its permissions forbid it'],
      [['pets', 'import', 'nothing.csv'], 'there is no such file'],
      [['pets', 'import', 'loop'], 'its symbolic links lead in a circle'],
      [['backup', 'verify', 'secret.csv'], 'its permissions forbid it'],
      [['backup', 'restore', 'animals.csv', '--data', 'read-only'], 'not'],
    ]
    for (const [args, words] of cases) {
      const child = Bun.spawn(['setpriv', '--reuid=65534', '--clear-groups', executable, ...args], {
        cwd: folder.path,
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      expect([args, await child.exited, out]).toEqual([args, 1, ''])
      expect(err).toContain(words)
      expect(err).toMatch(/^petstore: [^\n]+\.\n$/)
      expect(err).not.toMatch(/\b(E[A-Z]{3,}|SQLITE_\w+|errno|syscall)\b/)
    }
    expect(existsSync(at('data'))).toBe(false)
  })
})
