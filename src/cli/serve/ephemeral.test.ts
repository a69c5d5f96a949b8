import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { executable, isBuilt, proxiedHosting, runPetstore } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const workspace = workspacePerTest()

const key = 'pet_live_petshop000000000000000000000003lZRKO'

describe.skipIf(!isBuilt)('an ephemeral store', () => {
  async function serve(...args: string[]) {
    const { ready, ...server } = await workspace.serve(['--ephemeral', ...args])
    const call = async (method: string, path: string, body?: object, callKey = ready.key) => {
      const headers = { Authorization: `Bearer ${callKey}`, 'Content-Type': 'application/json' }
      const response = await fetch(ready.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await response.text()
      return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) }
    }
    return { ...server, ready, call }
  }

  test('has the key that it is given, and a clock that tests can move', async () => {
    const { ready, call } = await serve('--key', key, '--clock', 'manual')
    expect(ready.key).toBe(key)
    const { now } = (await call('GET', '/test/clock')).json
    const moved = await call('POST', '/test/clock', { advanceMs: 86_400_000 })
    const laterMs = Date.parse(now) + 86_400_000
    expect(moved.json).toEqual({ now: new Date(laterMs).toISOString() })
    const response = await call('GET', '/v1/pets')
    expect([response.status, response.headers.get('date')]).toEqual([200, new Date(laterMs).toUTCString()])
    expect((await call('POST', '/test/clock', { advance: 1 })).json).toMatchObject({
      code: 'invalid_body',
      message: '/test/clock takes no "advance". Did you mean advanceMs?',
    })
    const message = async (advanceMs: unknown) => (await call('POST', '/test/clock', { advanceMs })).json.message
    expect(await message(-1)).toBe('advanceMs needs a whole number of milliseconds, 0 or more, not -1.')
    const tooFar = "advanceMs can't move the clock beyond the year 9999, as a number beyond 2^53 milliseconds would."
    expect(await message(2 ** 60)).toBe(tooFar)
  })

  test('fails as tests request, and shows them the requests that it has received', async () => {
    const { call } = await serve()
    const fault = { method: 'GET', path: '/v1/pets', fault: { status: 503, retryAfterSeconds: 3 }, times: 1 }
    expect((await call('POST', '/test/faults', fault)).json).toEqual({ id: 1 })
    const failed = await call('GET', '/v1/pets')
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '3'])
    expect((await call('GET', '/v1/pets')).status).toBe(200)
    const { id } = (await call('POST', '/test/faults', { fault: { status: 500 } })).json
    expect((await call('GET', '/v1/pets')).status).toBe(500)
    expect((await call('DELETE', `/test/faults/${id}`)).status).toBe(204)
    expect((await call('DELETE', `/test/faults/${id}`)).status).toBe(404)
    await call('POST', '/test/faults', { fault: { status: 500 } })
    expect((await call('DELETE', '/test/faults')).status).toBe(204)
    expect((await call('POST', '/v1/pets', { name: 'Ada', categoryId: 2 })).status).toBe(201)
    const received: { status: number; body?: object }[] = (await call('GET', '/test/requests')).json
    expect(received.map(({ status }) => status)).toEqual([503, 200, 500, 201])
    expect(received.at(-1)?.body).toEqual({ name: 'Ada', categoryId: 2 })
  })

  test('restarts with the values of a reset, and then with the same ones', async () => {
    const { ready, call } = await serve('--key', key)
    const beginning = {
      plan: 'unlimited',
      now: '2026-11-20T10:00:00Z',
      clock: 'manual',
      seed: { pets: [{ name: 'Ada', categoryId: 2 }] },
    }
    expect((await call('POST', '/test/reset', beginning)).json).toEqual({ url: ready.url, key })
    for (let i = 0; i < 2; i++) {
      const { headers, json } = await call('GET', '/v1/pets')
      expect([headers.get('date'), headers.get('x-ratelimit-limit')]).toEqual([
        'Fri, 20 Nov 2026 10:00:00 GMT',
        '1000000000',
      ])
      expect(json).toEqual([{ id: 1, name: 'Ada', categoryId: 2, status: 'available' }])
      await call('DELETE', '/v1/pets/1')
      expect((await call('POST', '/test/reset')).status).toBe(200)
    }
    expect((await call('POST', '/test/reset', { plan: 'gold' })).status).toBe(400)
    expect((await call('GET', '/v1/pets')).json).toHaveLength(1)
  })

  test('lets only its own key control it', async () => {
    const { call } = await serve()
    const other = (await call('POST', '/v1/keys', { name: 'Admin', accountId: 1, scopes: ['admin'] })).json.key
    for (const path of ['/test/clock', '/test/requests', '/test/reset', '/test/nothing']) {
      expect([path, (await call('GET', path, undefined, other)).json.code]).toEqual([path, 'invalid_api_key'])
    }
    expect((await call('GET', '/test/nothing')).status).toBe(404)
    const wrong = await call('PUT', '/test/clock')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  test('reads no variable, writes no file and prints nothing when it stops', async () => {
    const child = Bun.spawn([executable, 'serve', '--ephemeral', '--port', '0', '--json'], {
      cwd: workspace.path,
      env: { PETSTORE_PORT: 'no', PETSTORE_ENVIRONMENT: 'staging', PETSTORE_KEY: 'x', PETSTORE_CLOCK: 'x' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const { value } = await child.stdout.getReader().read()
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ key: expect.stringMatching(/^pet_live_/) })
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await new Response(child.stderr).text()).toBe('')
    expect(readdirSync(workspace.path)).toEqual([])
  })

  test('exits when the pipe on its standard input ends, or when its parent is gone', async () => {
    const command = [executable, 'serve', '--ephemeral', '--port', '0', '--json', '--exit-with-parent']
    const child = Bun.spawn(command, { cwd: workspace.path, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' })
    await child.stdout.getReader().read()
    await child.stdin.end()
    expect(await child.exited).toBe(0)

    // The store of a shell whose own input is no pipe.
    const parent = Bun.spawn(['sh', '-c', `'${executable}' ${command.slice(1).join(' ')} </dev/null & wait`], {
      cwd: workspace.path,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const reader = parent.stdout.getReader()
    await reader.read()
    parent.kill('SIGKILL')
    await parent.exited
    // The pipe ends when the last process that has it, the store, has exited.
    while (!(await reader.read()).done);
  })

  test('continues where the pipe on its standard input had ended before, as in a job of a CI', async () => {
    const child = Bun.spawn(
      ['sh', '-c', `true | { sleep 0.1; exec '${executable}' serve --ephemeral --port 0 --json --exit-with-parent; }`],
      { cwd: workspace.path, stdout: 'pipe', stderr: 'ignore' },
    )
    const { url, pid } = JSON.parse(new TextDecoder().decode((await child.stdout.getReader().read()).value))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    process.kill(pid, 'SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('rejects a key without its checksum in words that contain one, --data and --new, and its options need --ephemeral', async () => {
    const run = (...args: string[]) => runPetstore(['serve', '--port', '0', ...args], { cwd: workspace.path })
    const { code, err } = await run('--ephemeral', '--key', 'petshop')
    expect([code, err.includes(`such as ${key}.`)]).toEqual([2, true])
    expect((await run('--ephemeral', '--key', key.replace('3lZRKO', '3lZRKP'))).code).toBe(2)
    expect((await run('--ephemeral', '--environment', 'staging', '--key', key)).err).toContain(
      'such as pet_test_petshop',
    )
    for (const [option, message] of [
      [['--data', 'shop'], 'in memory: leave out --data.'],
      [['--new'], '--new and --ephemeral exclude each other: leave out one of them.'],
    ] as const) {
      const refused = await run('--ephemeral', ...option)
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)])
    }
    for (const option of [['--key', key], ['--clock', 'manual'], ['--exit-with-parent']]) {
      expect((await run(...option)).err).toContain(`${option[0]} is for test suites: it needs --ephemeral.`)
    }
    expect(readdirSync(workspace.path)).toEqual([])
  })

  test('with hosting has no reset, and stops while its clock stands still', async () => {
    const { call, stop } = await serve('--clock', 'manual', '--platform-domain', 'stores.example', ...proxiedHosting)
    expect((await call('POST', '/test/reset')).json).toMatchObject({
      code: 'conflict',
      message: 'A store with hosting cannot be reset: start another one.',
    })
    expect(await stop()).toBe(0)
  })

  test('a store on disk has nothing below /test', async () => {
    const { ready } = await workspace.serve()
    const headers = { Authorization: `Bearer ${ready.key}` }
    expect((await fetch(`${ready.url}/test/clock`, { headers })).status).toBe(404)
  })
})
