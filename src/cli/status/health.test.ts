import { describe, expect, test } from 'bun:test'
import { isBuilt, runPetstore } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

describe.skipIf(!isBuilt)('petstore health', () => {
  const workspace = workspacePerTest()

  test('says that a server is alive, at the port of an option or a variable, whatever address it listens on', async () => {
    const { ready } = await workspace.serve(['--ephemeral', '--host', '0.0.0.0'])
    const port = String(ready.port)
    const url = `http://127.0.0.1:${port}/healthz`
    expect(await workspace.run('health', '--port', port)).toEqual({
      code: 0,
      out: `petstore is alive: ${url}\n`,
      err: '',
    })
    // A proxy of the system would not reach the server.
    const env = {
      PETSTORE_HOST: '0.0.0.0',
      PETSTORE_PORT: port,
      HTTP_PROXY: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
    }
    const asked = await runPetstore(['health', '--json'], { cwd: workspace.path, env })
    expect([asked.code, JSON.parse(asked.out)]).toEqual([0, { alive: true, url }])
  })

  test('fails where no server answers, and where another program does', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
    const port = String(other.port)
    const foreign = await workspace.run('health', '--port', port)
    await other.stop(true)
    const none = await workspace.run('health', '--port', port)
    const line = (reason: string) =>
      `petstore: No petstore is alive at http://127.0.0.1:${port}/healthz: ${reason}. Check --host and --port.\n`
    expect(foreign).toEqual({ code: 1, out: '', err: line('another program answers there') })
    expect(none).toEqual({ code: 1, out: '', err: line('nothing listens there') })
  })

  test('accepts a host name that is also a property of every JavaScript object', async () => {
    const { code, err } = await workspace.run('health', '--host', 'constructor', '--port', '1')
    expect([code, err]).toEqual([1, expect.stringMatching(/^petstore: No petstore is alive at .*constructor.*\n$/)])
  })

  test('gives up on a server that hangs before the timeout of a health check', async () => {
    const hanging = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data() {} } })
    const { code, err } = await workspace.run('health', '--port', String(hanging.port))
    hanging.stop(true)
    expect([code, err]).toEqual([1, expect.stringContaining('it did not answer within 4 seconds')])
  })
})

test.skipIf(!isBuilt)('petstore version names the commit and the version of the database', async () => {
  const { out } = await runPetstore(['version', '--json'], { cwd: '/' })
  const { version, commit, databaseVersion } = JSON.parse(out)
  expect(commit === null || /^[0-9a-f]{12}\+?$/.test(commit)).toBe(true)
  const built = commit === null ? '' : `commit ${commit}, `
  expect((await runPetstore(['version'], { cwd: '/' })).out).toBe(
    `petstore ${version} (${built}database version ${databaseVersion})\n`,
  )
})
