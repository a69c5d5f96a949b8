import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, petstoreCommand, startPetstoreProcess } from '../../../testing/executable.ts'
import { openTestStore, type TestStore } from '../../../testing/harness.ts'

let folder: ReturnType<typeof emptyFolder>
let store: TestStore | undefined
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  await store?.close()
  store = undefined
  folder.remove()
})

/** Opens a store whose commands run `script` of a shell; its arguments are those of petstore. */
async function openStore(script: string) {
  const self = ['sh', '-c', script, 'sh']
  store = await openTestStore({ databasePath: join(folder.path, 'production.db'), self })
  return store
}

const petstore = `${petstoreCommand.join(' ')} "$@"`

describe('the result of a verification that was interrupted', () => {
  test.each([
    ['was killed', 'kill -KILL $$', 'the process was ended by SIGKILL'],
    ['stopped with the server', 'kill -TERM $$', 'the process was ended by SIGTERM'],
    ['failed unexpectedly', 'echo "petstore: It failed: the disk is full." >&2; exit 1', 'the disk is full'],
    ['could not begin', 'echo "note: one" >&2; echo "sh: two" >&2; exit 126', 'sh: two'],
    ['printed nothing', 'exit 0', 'the process printed nothing'],
  ])(
    'is a 503 that is not stored: it %s',
    async (_, script, reason) => {
      const isDown = join(folder.path, 'is-down')
      const { call } = await openStore(`test -e ${isDown} || exec ${petstore}; ${script}`)
      const { name } = (await call('POST', '/v1/backups')).json
      const headers = { 'Idempotency-Key': 'verify-1' }
      const verify = () => call('POST', `/v1/backups/${name}/verify`, { headers })
      writeFileSync(isDown, '')
      const failed = await verify()
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '10'])
      expect(failed.json).toMatchObject({
        code: 'storage_unavailable',
        message: `The backup was not verified: ${reason}.`,
      })
      rmSync(isDown)
      const verified = await verify()
      expect([verified.status, verified.json.ok, verified.headers.get('idempotent-replayed')]).toEqual([
        200,
        true,
        null,
      ])
    },
    60_000,
  )
})

test('a backup whose process ended says why', async () => {
  const { call } = await openStore('kill -KILL $$')
  const { status, json } = await call('POST', '/v1/backups')
  const message = 'No backup was made: the process was ended by SIGKILL.'
  expect([status, json]).toMatchObject([503, { code: 'storage_unavailable', message }])
}, 60_000)

test('a backup whose process cannot be started says why', async () => {
  const self = [join(folder.path, 'missing')]
  store = await openTestStore({ databasePath: join(folder.path, 'production.db'), self })
  const { status, json } = await store.call('POST', '/v1/backups')
  const message = `No backup was made: ${self[0]} can't be started: there is no such file.`
  expect([status, json]).toMatchObject([503, { code: 'storage_unavailable', message }])
}, 60_000)

describe.skipIf(!isBuilt)('a server creates and verifies backups', () => {
  /** Starts a server in a separate directory, and returns how to create and verify a backup. */
  async function serve(prefix: string[] = []) {
    const cwd = join(folder.path, 'started-here')
    mkdirSync(cwd)
    const server = await startPetstoreProcess(['--data', join(folder.path, 'data')], { cwd }, prefix)
    const post = (path: string) =>
      fetch(`${server.ready.url}/v1/backups${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${server.ready.key}` },
      })
    return { server, cwd, post }
  }

  async function assertBacksUp({ server, post }: Awaited<ReturnType<typeof serve>>) {
    const made = await post('')
    expect([made.status, await made.clone().text()]).toEqual([201, expect.any(String)])
    const { name } = (await made.json()) as { name: string }
    expect(await (await post(`/${name}/verify`)).json()).toMatchObject({ ok: true })
    await server.kill()
  }

  test('after the directory in which it was started was deleted', async () => {
    const started = await serve()
    rmdirSync(started.cwd)
    await assertBacksUp(started)
  })

  test.skipIf(process.platform !== 'linux')('after its executable was moved, and after it was deleted', async () => {
    const own = join(folder.path, 'petstore')
    copyFileSync(executable, own)
    const started = await serve(['sh', '-c', `shift; exec ${own} "$@"`, 'sh'])
    renameSync(own, `${own}-2`)
    expect((await started.post('')).status).toBe(201)
    rmSync(`${own}-2`)
    await assertBacksUp(started)
  })
})
