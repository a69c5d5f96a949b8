import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createWorkspace,
  emptyFolder,
  isBuilt,
  type PetstoreProcess,
  runPetstore,
  startPetstoreProcess,
} from '../../testing/executable.ts'

let folder: ReturnType<typeof emptyFolder>
const started: PetstoreProcess[] = []

beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  for (const one of started.splice(0)) await one.kill()
  folder.remove()
})

async function serve(args: string[] = [], env: Record<string, string> = {}, prefix: string[] = []) {
  const one = await startPetstoreProcess(args, { cwd: folder.path, env }, prefix)
  started.push(one)
  const { url, key = '' } = one.ready
  const call = (path: string, init: RequestInit = {}, callKey = key) =>
    fetch(url + path, { ...init, headers: { Authorization: `Bearer ${callKey}`, ...init.headers } })
  const add = (name: string) =>
    call('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, categoryId: 1 }),
    })
  return { ...one, url, key, call, add }
}

const petstore = (...args: string[]) => runPetstore(args, { cwd: folder.path })

describe.skipIf(!isBuilt)('petstore serve', () => {
  test('the first start in an empty directory prints one line with a working key, and writes only below ./data', async () => {
    const { url, key, ready, call, process } = await serve()
    const setupUrl = expect.stringMatching(new RegExp(`^${url}/dashboard/setup#token=[A-Za-z0-9_-]{43}$`))
    expect<object>(ready).toEqual({ url, port: Number(new URL(url).port), pid: process.pid, key, setupUrl })
    expect((await call('/v1/pets')).status).toBe(200)
    expect(readdirSync(folder.path)).toEqual(['data'])
    expect(existsSync(join(folder.path, 'data/production.db'))).toBe(true)
  })

  test('serves although its secrets cannot be read, and stops on a signal', async () => {
    // A directory cannot be read as a file, not even by root.
    mkdirSync(join(folder.path, 'data/production-secrets.json'), { recursive: true })
    const { call, stop } = await serve()
    expect((await call('/v1/pets')).status).toBe(200)
    expect(await stop()).toBe(0)
  })

  test('a first start that cannot listen makes no store, and the next one prints a key', async () => {
    const { url, stop } = await serve(['--ephemeral'])
    const { port } = new URL(url)
    const isInUse = expect.stringContaining('in use')
    const hosting = ['--port', '0', '--platform-domain', 'stores.example', '--public-host', '127.0.0.1']
    for (const options of [
      ['--port', port],
      [...hosting, '--http-port', port],
      [...hosting, '--http-port', '0', '--https-port', port],
    ]) {
      const busy = await petstore('serve', ...options, '--json')
      expect([busy.code, busy.out, busy.err, readdirSync(folder.path)]).toEqual([1, '', isInUse, []])
    }
    await stop()
    const { key, call } = await serve()
    expect([key, (await call('/v1/pets')).status]).toEqual([expect.stringMatching(/^pet_live_/), 200])
  })

  test('a first key is printed on a terminal, but not into a pipe, where a command that issues one is', async () => {
    const workspace = createWorkspace()
    for (const options of [[], ['--ephemeral']]) {
      expect(await workspace.startText(...options)).not.toContain('pet_live_')
    }
    expect(await workspace.startText('--ephemeral')).toMatch(/^There is no API key: start it with --json/m)
    const [, command = ''] =
      /^There is no API key yet\. Issue one with:\n\n {2}petstore (.*)\n/m.exec(await workspace.startText()) ?? []
    expect(await workspace.terminalText()).toMatch(/\n {2}(pet_live_\w{36})\n[\s\S]*\n {2}curl .*Bearer \1' http/)
    expect(await workspace.startText()).not.toMatch(/There is no API key|pet_live_/)

    const issued = await workspace.run(...command.split(' '), '--json')
    expect(JSON.parse(issued.out)).toMatchObject({ name: 'Store', plan: 'business', scopes: ['admin'] })
    const other = await workspace.startText('--data', 'other place')
    expect(other).toContain(` --scope admin --data '${join(workspace.path, 'other place')}'\n`)
    await workspace.run('demo', '--data', 'third')
    expect(await workspace.startText('--data', 'third')).toContain('keys create --name Store --account 1 --scope admin')
    await workspace.close()
  })

  test('animals created with 201 exist after kill -9 and a new start, which prints no further key', async () => {
    const first = await serve()
    for (const name of ['Ada', 'Bea', 'Cleo']) expect((await first.add(name)).status).toBe(201)
    await first.kill()
    const second = await serve()
    expect(second.ready.key).toBeUndefined()
    const pets = (await (await second.call('/v1/pets', {}, first.key)).json()) as { name: string }[]
    expect(pets.map(({ name }) => name)).toEqual(['Ada', 'Bea', 'Cleo'])
  })

  test('SIGTERM moves the whole write-ahead log into the database file, and the exit code is 0', async () => {
    const { add, stop } = await serve()
    await add('Ada')
    expect(await stop()).toBe(0)
    expect(readdirSync(join(folder.path, 'data')).filter((name) => name.endsWith('-wal'))).toEqual([])
  })

  test('SIGHUP, which a terminal sends more than once when it closes, stops it gracefully with 129; SIGUSR1 and SIGUSR2 do nothing', async () => {
    const { add, process } = await serve()
    process.kill('SIGUSR1')
    process.kill('SIGUSR2')
    await add('Ada')
    process.kill('SIGHUP')
    process.kill('SIGHUP')
    expect(await process.exited).toBe(129)
    expect(readdirSync(join(folder.path, 'data')).filter((name) => name.endsWith('-wal'))).toEqual([])
  })

  test('SIGHUP does not stop a server that nohup has started', async () => {
    const { add, process, stop } = await serve([], {}, ['nohup'])
    process.kill('SIGHUP')
    expect((await add('Ada')).status).toBe(201)
    expect(await stop()).toBe(0)
  })

  test('requests in flight are finished before the process exits', async () => {
    const { url, key, process } = await serve()
    const body = JSON.stringify({ name: 'In flight', categoryId: 1 })
    const halves = [body.slice(0, 10), body.slice(10)]
    let sendRest: () => void = () => {}
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(halves[0]))
        sendRest = () => {
          controller.enqueue(new TextEncoder().encode(halves[1]))
          controller.close()
        }
      },
    })
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const response = fetch(`${url}/v1/pets`, { method: 'POST', headers, body: stream })
    // The second request gets its response once the server has accepted the first.
    await fetch(`${url}/healthz`)
    process.kill('SIGTERM')
    sendRest()
    expect((await response).status).toBe(201)
    expect(await process.exited).toBe(0)
  })

  test('a second server on the same data directory fails to start, and the first keeps running', async () => {
    const { call } = await serve()
    const second = await petstore('serve', '--port', '0')
    expect(second.code).toBe(1)
    expect(second.err).toContain('Another petstore is serving')
    expect((await call('/v1/pets')).status).toBe(200)
  })

  test('three simultaneous commands that create the same store all succeed', async () => {
    writeFileSync(join(folder.path, 'rex.csv'), 'name,category\nRex,Dog\n')
    const runs = await Promise.all(
      [1, 2, 3].map(() => petstore('pets', 'import', 'rex.csv', '--data', 'new', '--json')),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    const ids = runs.map(({ out }) => JSON.parse(out).id).sort()
    expect(ids).toEqual([1, 2, 3])
  })

  test('production and staging run side by side with separate keys', async () => {
    const production = await serve()
    const staging = await serve(['--environment', 'staging'])
    expect([production.key.slice(0, 9), staging.key.slice(0, 9)]).toEqual(['pet_live_', 'pet_test_'])
    await production.add('Ada')
    expect(await (await staging.call('/v1/pets')).json()).toEqual([])
    const rejected = await staging.call('/v1/pets', {}, production.key)
    expect(await rejected.json()).toMatchObject({
      code: 'invalid_api_key',
      message: expect.stringContaining('production key'),
    })
  })

  test('an ephemeral server leaves no file', async () => {
    const { add, call, stop } = await serve(['--ephemeral'])
    expect((await add('Ada')).status).toBe(201)
    expect((await call('/v1/keys')).status).toBe(200)
    expect(await stop()).toBe(0)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('a .env and a bunfig.toml in the current directory are not read', async () => {
    writeFileSync(join(folder.path, '.env'), 'PETSTORE_ENVIRONMENT=staging\nPETSTORE_PORT=no\n')
    writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./missing.ts"]\n')
    const { key } = await serve()
    expect(key).toStartWith('pet_live_')
  })

  test('options are read from PETSTORE_… variables too, and the command line overrides them', async () => {
    const env = { PETSTORE_ENVIRONMENT: 'staging', PETSTORE_CORS_ORIGIN: 'https://a.example,https://b.example' }
    const { key, call } = await serve(['--data', 'elsewhere'], { ...env, PETSTORE_DATA: 'ignored' })
    expect(key).toStartWith('pet_test_')
    expect(readdirSync(folder.path)).toEqual(['elsewhere'])
    const response = await call('/v1/pets', { headers: { Origin: 'https://b.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('https://b.example')
  })

  test('an invalid option exits with 2 and an unusable port or directory with 1, each with one line', async () => {
    const { ready } = await serve(['--ephemeral'])
    writeFileSync(join(folder.path, 'file'), '')
    const cases: [string[], number, string][] = [
      [['serve', '--colour', 'red'], 2, 'There is no option --colour. See: petstore help serve'],
      [['serve', '--port', '80a'], 2, '--port must be a whole number from 0 to 65535'],
      [['serve', '--environment', 'testing'], 2, '--environment must be one of production, staging'],
      [['serve', '--host', '*', '--port', '0'], 2, '--host must be an address such as 127.0.0.1 or ::1'],
      [['serve', '--base-url', 'https://shop.example'], 2, '--base-url must be'],
      [['serve', '--cors-origin', 'shop.example'], 2, '--cors-origin must be * or an origin'],
      [['serve', '--trusted-proxy', '10.0.0.0/64'], 2, '--trusted-proxy must be'],
      [['serve', 'now'], 2, '"now" is one argument too many'],
      [['dance'], 2, 'There is no command "dance"'],
      [['keys'], 2, '"keys" needs one of'],
      [['serve', '--ephemeral', '--port', String(ready.port)], 1, 'the port is in use'],
      [['serve', '--ephemeral', '--host', 'nonsense', '--port', '0'], 1, 'it is not an address of this machine'],
      [['serve', '--port', '0', '--data', 'file'], 1, 'it is not a directory. Choose another with --data.'],
      [['serve', '--port', '0', '--data', 'file/below'], 1, 'is a file, not a directory. Choose another with --data.'],
    ]
    for (const [args, code, words] of cases) {
      const run = await petstore(...args)
      expect([args, run.code, run.out]).toEqual([args, code, ''])
      expect(run.err).toContain(words)
      expect(run.err.trim().split('\n')).toHaveLength(1)
    }
  })

  test('a file that is not a pet store database is rejected', async () => {
    await petstore('demo')
    const path = join(folder.path, 'data/staging.db')
    writeFileSync(path, 'This is no database, but a letter to my aunt. '.repeat(100))
    const run = await petstore('serve', '--environment', 'staging', '--port', '0')
    expect(run.code).toBe(1)
    expect(run.err).toContain('it is not a pet store database')
  })

  test('the probes, the pages and unknown paths need no key', async () => {
    const { url } = await serve(['--ephemeral'])
    const get = (path: string) => fetch(url + path, { redirect: 'manual' })
    expect(await (await get('/healthz')).json()).toEqual({ status: 'alive' })
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' })
    expect((await get('/')).headers.get('location')).toBe('/dashboard/')
    expect((await get('/dashboard/animals')).headers.get('content-type')).toContain('text/html')
    expect((await get('/docs')).headers.get('content-type')).toContain('text/html')
    expect(((await (await get('/openapi.json')).json()) as { servers: { url: string }[] }).servers[0]?.url).toBe(
      `${url}/v1`,
    )
    const missing = await get('/nowhere')
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('Page not found')])
  })

  test('a body that is too large gets a 413 over a real connection, with a length and chunked', async () => {
    const { url, key } = await serve(['--ephemeral'])
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const chunk = new Uint8Array(65_536).fill(32)
    const chunks = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (let i = 0; i < 48; i++) controller.enqueue(chunk)
          controller.close()
        },
      })
    for (const body of [new Uint8Array(3_000_000), chunks(), new Uint8Array(30_000_000), chunks()]) {
      const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ code: 'payload_too_large', status: 413 })
    }
  })

  // For a host name of fewer than four characters the request is copied (`src/server/handle.ts`).
  test('a body to a short host name gets its 413, however large it is', async () => {
    const { url, key } = await serve(['--ephemeral'])
    const headers = { Host: 'api', Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    for (const megabytes of [2, 90]) {
      const body = new Uint8Array(megabytes * 1_000_000).fill(32)
      const response = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body })
      expect(await response.json()).toMatchObject({ code: 'payload_too_large', status: 413 })
    }
  })

  const strace = Bun.which('strace')
  if (!strace) console.error('SKIPPED: counting fdatasync needs strace.')
  test.skipIf(!strace)('ten successive 201 responses cause at least ten calls of fsync', async () => {
    const trace = join(folder.path, 'trace')
    const { add } = await serve([], {}, ['/usr/bin/strace', '-f', '-e', 'trace=fdatasync,fsync', '-o', trace])
    // Bun's SQLite is built without fdatasync and calls fsync, which does at least as much.
    const done = /(?:fdatasync|fsync)(?:\(\d+\)| resumed>\))\s+= 0/g
    const count = async () => (await Bun.file(trace).text()).match(done)?.length ?? 0
    const before = await count()
    for (let i = 0; i < 10; i++) expect((await add(`Animal ${i}`)).status).toBe(201)
    expect((await count()) - before).toBeGreaterThanOrEqual(10)
  })
})
