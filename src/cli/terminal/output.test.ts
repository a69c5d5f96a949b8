import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  emptyFolder,
  executable,
  isBuilt,
  makeStore,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

const bash = Bun.which('bash')
if (!bash) console.error('SKIPPED: tests of lost outputs need bash.')

/** An unused port. The server cannot choose one, because nobody reads its ready line here. */
async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}

/** Starts a server with `redirections` of a shell, and waits until it responds. */
async function startWith(cwd: string, redirections: string) {
  const url = `http://127.0.0.1:${await freePort()}`
  const script = `exec "$0" serve --json --port ${new URL(url).port} ${redirections}`
  const child = Bun.spawn([bash ?? '', '-c', script, executable], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const status = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers }).then(
      (response) => response.status,
      () => 'no response',
    )
  while (child.exitCode === null && (await status('/healthz')) !== 200) await Bun.sleep(10)
  return { child, status }
}

/**
 * Starts a server with `redirections` of a shell, makes it log, sends SIGTERM and returns its responses and its end.
 */
async function serveWith(redirections: string) {
  const folder = emptyFolder()
  makeStore(folder.path)
  const { out } = await runPetstore(['keys', 'create', '--name', 'Till', '--json'], { cwd: folder.path })
  const headers = { Authorization: `Bearer ${JSON.parse(out).key}` }
  const data = join(folder.path, 'data')
  const { child, status } = await startWith(folder.path, redirections)
  const other = new Database(join(data, 'production.db'))
  other.run('PRAGMA busy_timeout = 5000')
  // The lock outlasts the timeout of a write, so that the service logs an error at once and again when it stops.
  other.run('BEGIN IMMEDIATE')
  const locked = await status('/readyz')
  other.run('ROLLBACK')
  other.close()
  const free = await status('/v1/pets', headers)
  child.kill('SIGTERM')
  const exitCode = await child.exited
  const files = readdirSync(data).sort()
  const stored = new Database(join(data, 'production.db'))
  const [requests] = stored.query('SELECT sum(requests) FROM usage').values()[0] ?? []
  stored.close()
  folder.remove()
  return { redirections, locked, free, exitCode, files, requests }
}

const lost: Readonly<Record<string, string>> = {
  'stderr was read up to its first byte': '2> >(head -c1 >/dev/null)',
  'nobody reads stderr': '2> >(exec true)',
  'nobody reads stdout': '> >(exec true)',
  'nobody reads either': '> >(exec true) 2>&1',
  'stderr is on a full disk': '2>/dev/full',
  'stdout is on a full disk': '>/dev/full',
  'stderr is closed': '2>&-',
  'all three are closed': '<&- >&- 2>&-',
}

describe.skipIf(!isBuilt || !bash)('a service whose outputs are lost', () => {
  test('keeps responding, and SIGTERM stops it cleanly', async () => {
    const files = ['production.db', 'production.db-serving']
    const expected = { locked: 503, free: 200, exitCode: 0, files, requests: 1 }
    expect(await Promise.all(Object.values(lost).map(serveWith))).toEqual(
      Object.values(lost).map((redirections) => ({ redirections, ...expected })),
    )
  }, 60_000)

  test('makes no first key that nobody would see: the next start prints it', async () => {
    for (const redirections of ['>&-', '>/dev/null']) {
      const folder = emptyFolder()
      const { child } = await startWith(folder.path, `${redirections} 2>errors`)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect(await Bun.file(join(folder.path, 'errors')).text()).toContain(
        'no API key yet: issue one with petstore keys',
      )
      const { ready, stop } = await startPetstoreProcess([], { cwd: folder.path })
      expect(ready.key).toStartWith('pet_live_')
      await stop()
      folder.remove()
    }
  }, 60_000)
})

test.skipIf(!isBuilt || !bash)(
  'a service whose start message finds a full disk revokes its first key, and says so',
  async () => {
    const folder = emptyFolder()
    const { child } = await startWith(folder.path, '>/dev/full 2>errors')
    const errors = () => Bun.file(join(folder.path, 'errors')).text()
    while (!(await errors()).includes('The first API key was revoked')) await Bun.sleep(20)
    expect(await errors()).toContain("The output can't be written: the disk is full.")
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    const stored = new Database(join(folder.path, 'data', 'production.db'))
    expect(stored.query('SELECT count(*) FROM keys WHERE revoked_at IS NULL').values()).toEqual([[0]])
    stored.close()
    folder.remove()
  },
)

test.skipIf(!isBuilt || !bash)(
  'an ephemeral service whose first key is lost names no command, since none reaches it',
  async () => {
    for (const [redirection, message] of [
      ['>/dev/null', 'there is no API key yet: start it with --json'],
      ['>/dev/full', 'The first API key was revoked: start it with --json'],
    ]) {
      const folder = emptyFolder()
      const { child } = await startWith(folder.path, `--ephemeral ${redirection} 2>errors`)
      const errors = () => Bun.file(join(folder.path, 'errors')).text()
      while (!(await errors()).includes('API key')) await Bun.sleep(20)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect(await errors()).toContain(message ?? '')
      expect(await errors()).not.toContain('petstore keys create')
      folder.remove()
    }
  },
)

test.skipIf(!isBuilt || !bash)('a service stops cleanly on a signal that comes with its first response', async () => {
  const folder = emptyFolder()
  const { child } = await startWith(folder.path, '>output')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(JSON.parse(await Bun.file(join(folder.path, 'output')).text())).toMatchObject({ pid: child.pid })
  folder.remove()
})
