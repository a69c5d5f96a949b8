import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { lockForServing } from '../../database/lock.ts'
import { emptyFolder, isBuilt, makeStore, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'

const setpriv = Bun.which('setpriv')
const canSwitchUser = setpriv !== null && process.getuid?.() === 0
if (!canSwitchUser) console.error('SKIPPED: a server of a user without a name needs root and setpriv.')

const folder = emptyFolder()
afterAll(() => folder.remove())

/** A store in its own directory. */
function storeIn(name: string) {
  const data = join(folder.path, name)
  const run = (...args: string[]) => runPetstore([...args, '--data', data, '--json'], { cwd: folder.path })
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args)
    expect([code, err.replace(/^Created a new store: .*\n|^The store is .*\n/, '')]).toEqual([0, ''])
    return JSON.parse(out)
  }
  const serve = () => startPetstoreProcess(['--data', data], { cwd: folder.path })
  const nameOf = ({ name }: { readonly name: string }) => name
  const names = async () => (await json('keys', 'list')).map(nameOf)
  return { data, run, json, serve, names }
}

describe.skipIf(!isBuilt)('commands', () => {
  test('that run at the same time without a server wait for each other', async () => {
    const { json, names } = storeIn('at-once')
    makeStore(folder.path, { data: 'at-once' })
    const wanted = ['A', 'B', 'C']
    await Promise.all(wanted.map((name) => json('keys', 'create', '--name', name)))
    expect((await names()).sort()).toEqual(wanted)
  })

  test('use the socket of a server, which only the owner of the data directory may open', async () => {
    const { data, json, serve } = storeIn('served')
    const server = await serve()
    const socket = join(data, 'production.sock')
    expect((statSync(socket).mode & 0o777).toString(8)).toBe('600')
    const { key, id } = await json('keys', 'create', '--name', 'Till')
    const headers = { authorization: `Bearer ${key}` }
    const status = async () => (await fetch(`${server.ready.url}/v1/pets`, { headers })).status
    expect(await status()).toBe(200)
    await json('keys', 'revoke', String(id))
    expect(await status()).toBe(401)
    const admin = { authorization: `Bearer ${server.ready.key}` }
    const entries = await (await fetch(`${server.ready.url}/v1/audit?actor=command`, { headers: admin })).json()
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'key.revoked',
      'key.created',
      'account.created',
    ])
    await server.stop()
    expect(existsSync(socket)).toBe(false)
  })

  test('recognise the socket that a killed server has left, as the next server does', async () => {
    const { data, json, serve, names } = storeIn('killed')
    const killed = await serve()
    await killed.kill()
    expect(existsSync(join(data, 'production.sock'))).toBe(true)
    await json('keys', 'create', '--name', 'Till')
    const next = await serve()
    expect(await names()).toContain('Till')
    await next.stop()
  })

  test('reach a server whose data directory has a path that is too long for a socket', async () => {
    const { data, json, serve, names } = storeIn('long-'.repeat(20))
    const server = await serve()
    expect(existsSync(join(data, 'production.sock'))).toBe(false)
    const { key } = await json('keys', 'create', '--name', 'Till')
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${server.ready.url}/v1/pets`, { headers })).status).toBe(200)
    expect(await names()).toContain('Till')
    await server.stop()
  })

  test('say what to do if a server does not listen where they look for it, after five seconds', async () => {
    const { data, run, serve } = storeIn('unreachable')
    const server = await serve()
    const socket = join(data, 'production.sock')
    rmSync(socket)
    expect(await run('keys', 'list')).toEqual({
      code: 1,
      out: '',
      err: `petstore: Another petstore, a server or a command, is using ${join(data, 'production.db')}: stop it, or wait until it has ended. If it is a server, commands cannot reach it, since it does not listen at ${socket}: restart it.\n`,
    })
    await server.stop()
  })

  test.skipIf(!canSwitchUser)(
    'reach a server whose user has no name and no home, for a path of any length',
    async () => {
      const user = 54_321
      chmodSync(folder.path, 0o755)
      const asUser = ['env', '-u', 'HOME', setpriv ?? '', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
      for (const name of ['nameless', 'nameless-'.repeat(12)]) {
        const { data, json } = storeIn(name)
        mkdirSync(data)
        chownSync(data, user, user)
        const server = await startPetstoreProcess(['--data', data], { cwd: folder.path }, asUser)
        expect(await json('status')).toMatchObject({ running: true, pid: server.ready.pid })
        await server.stop()
        expect(await server.errors).not.toContain('socket')
      }
    },
  )

  test('say that TMPDIR may be the cause where the socket of the server is in that directory', async () => {
    const { data, run, serve } = storeIn('elsewhere-'.repeat(10))
    const server = await serve()
    const socket = join(
      tmpdir(),
      `petstore-${statSync(data).uid}`,
      `${Bun.hash(join(data, 'production.db')).toString(36)}.sock`,
    )
    rmSync(socket)
    expect((await run('keys', 'list')).err).toEndWith(`at ${socket}: restart it with the TMPDIR of the commands.\n`)
    await server.stop()
  })

  test('cannot reach a server that cannot make a directory for its socket, and its log says so', async () => {
    const { data } = storeIn('foreign-'.repeat(12))
    const directory = join(folder.path, `petstore-${userInfo().uid}`)
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    const env = { TMPDIR: folder.path }
    const server = await startPetstoreProcess(['--data', data], { cwd: folder.path, env })
    await server.stop()
    const [line = ''] = (await server.errors).split('\n')
    expect(line).toContain('commands cannot reach this server')
    expect(line).toContain(
      `can't be made: ${directory} belongs to another user, or others may read it: remove it, or set another TMPDIR for the server and the commands, then restart the server.`,
    )
  })

  test('and a server wait for a command that uses the store', async () => {
    const { data, json, run, serve } = storeIn('in-use')
    makeStore(folder.path, { data: 'in-use' })
    await json('keys', 'create', '--name', 'A')
    const unlock = lockForServing(join(data, 'production.db'))
    const listing = run('keys', 'list')
    const starting = serve()
    expect(await Promise.race([listing, starting, Bun.sleep(300).then(() => 'waiting')])).toBe('waiting')
    unlock()
    expect((await listing).code).toBe(0)
    await (await starting).stop()
  })
})
