import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createWorkspace, executable, isBuilt, type PetstoreProcess, runPetstore } from '../../testing/executable.ts'

const workspace = createWorkspace()
let server: PetstoreProcess
let admin: string
beforeAll(async () => {
  if (!isBuilt) return
  server = await workspace.serve()
  admin = server.ready.key ?? ''
})
afterAll(() => workspace.close())

/** A user on another machine: with their own home and working directory. */
function user(name: string) {
  const home = join(workspace.path, name)
  mkdirSync(join(home, 'work'), { recursive: true })
  const run = (args: readonly string[], { env = {}, stdin }: { env?: Record<string, string>; stdin?: string } = {}) =>
    runPetstore(args, {
      cwd: join(home, 'work'),
      env: { HOME: home, ...env },
      ...(stdin === undefined ? {} : { stdin }),
    })
  return { home, run, stores: join(home, '.config/petstore/stores.json') }
}

async function issue(...scopes: string[]): Promise<string> {
  const issued = await workspace.run('keys', 'create', '--name', 'Till', '--scope', scopes.join(','), '--json')
  return JSON.parse(issued.out).key
}

describe.skipIf(!isBuilt)('petstore --url', () => {
  test('works with the key in PETSTORE_KEY, within its scopes, and says on stderr which store that is', async () => {
    const { run } = user('with-key')
    const env = { PETSTORE_KEY: admin }
    for (const url of [server.ready.url, `${server.ready.url}/`, `${server.ready.url}/v1`, `${server.ready.url}/v1/`]) {
      const { code, out, err } = await run(['keys', 'list', '--json', '--url', url], { env })
      expect([code, err]).toEqual([0, `petstore: The store is ${server.ready.url}/v1.\n`])
      expect(JSON.parse(out)[0]).toMatchObject({ name: 'Store' })
    }
    const limited = await run(['keys', 'list', '--url', server.ready.url], {
      env: { PETSTORE_KEY: await issue('pets:read') },
    })
    expect([limited.code, limited.out]).toEqual([1, ''])
    expect(limited.err.split('\n')[1]).toMatch(/^petstore: .*scope.*admin/)
  })

  test('is recorded in the audit log with the key', async () => {
    const { run } = user('audited')
    const env = { PETSTORE_KEY: admin, PETSTORE_URL: server.ready.url }
    const { out } = await run(['keys', 'create', '--name', 'Website', '--json'], { env })
    const audit = await fetch(`${server.ready.url}/v1/audit?actor=key&limit=1`, {
      headers: { authorization: `Bearer ${admin}` },
    })
    expect(await audit.json()).toMatchObject([{ actor: 'key:1', action: 'key.created', keyId: JSON.parse(out).id }])
  })

  test('fails with one clear line if it cannot be used', async () => {
    const { run, home } = user('unusable')
    const env = { PETSTORE_KEY: admin }
    const { url, port } = server.ready
    const cases: [line: string, code: number, message: string][] = [
      [
        'keys list --url http://192.0.2.1',
        2,
        'http://192.0.2.1 is not encrypted, so that others could read the key: use https.',
      ],
      [
        'keys list --url shop.example',
        2,
        '"shop.example" is not the address of an API, such as https://api.shop.example.',
      ],
      [`keys list --url ${url} --data x`, 2, '--url and --data exclude each other: leave out one of them.'],
      ['keys list --url http://127.0.0.1:1', 1, "http://127.0.0.1:1/v1 can't be reached: nothing listens there."],
      [
        `keys list --url https://127.0.0.1:${port}`,
        1,
        `https://127.0.0.1:${port}/v1 can't be reached: it does not use TLS.`,
      ],
      [
        `keys list --url ${url}/docs`,
        1,
        `${url}/docs/v1 answered with status 404, which is not a response of the API.`,
      ],
    ]
    for (const [line, code, message] of cases) {
      const result = await run(line.split(' '), { env })
      const last = result.err
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.replace(/ See: .*/, '')
      expect([line, result.code, result.out, last]).toEqual([line, code, '', `petstore: ${message}`])
      expect(result.err).not.toContain(admin)
    }
    const keyless = await run(['keys', 'list', '--url', url])
    expect([keyless.code, keyless.err]).toEqual([
      2,
      expect.stringContaining(`There is no key for ${url}: set PETSTORE_KEY`),
    ])
    const spaced = await run(['keys', 'list', '--url', url], { env: { PETSTORE_KEY: 'a secret' } })
    expect([spaced.code, spaced.err]).toEqual([2, expect.stringContaining('PETSTORE_KEY is not a key')])
    expect(spaced.err).not.toContain('a secret')
    expect(existsSync(join(home, 'work/data'))).toBe(false)
  })

  test.each([
    ['another service', 'application/json', '{"ok":true}'],
    ['a website', 'text/html', '<html>Sign in to the network</html>'],
  ])('is one clear line for %s, whatever the command', async (_, type, body) => {
    const { run, stores } = user(`foreign-${type.replace('/', '-')}`)
    await using other = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(body, { headers: { 'content-type': type } }),
    })
    const url = `http://127.0.0.1:${other.port}`
    const message = `petstore: ${url}/v1 answered with status 200, which is not a response of the API.`
    for (const line of ['keys list', 'keys revoke 1', 'keys create --name A', 'pets export', 'backup download a.db']) {
      const { code, out, err } = await run([...line.split(' '), '--url', url], { env: { PETSTORE_KEY: admin } })
      expect([line, code, out, err.trimEnd().split('\n').at(-1)]).toEqual([line, 1, '', message])
    }
    const login = await run(['login', url], { stdin: admin })
    expect([login.code, login.err]).toEqual([1, `${message}\n`])
    expect(existsSync(stores)).toBe(false)
  })

  test('is refused by a command that needs the machine, which ignores the variable', async () => {
    const { run } = user('local')
    for (const name of ['serve', 'demo', 'owner reset', 'backup restore x', 'version', 'login x']) {
      const { code, out, err } = await run([...name.split(' '), '--url', server.ready.url])
      expect([name, code, out]).toEqual([name, 2, ''])
      expect(err).toMatch(/^petstore: petstore [a-z ]+ works on this machine alone: leave out --url[^\n]+\n$/)
    }
    const version = await run(['version'], { env: { PETSTORE_URL: server.ready.url } })
    expect([version.code, version.err]).toEqual([0, ''])
  })

  test('gives way to --data on the command line, and PETSTORE_DATA gives way to --url', async () => {
    const { run } = user('precedence')
    const env = { PETSTORE_KEY: admin, PETSTORE_DATA: 'nothing' }
    expect((await run(['keys', 'list', '--url', server.ready.url], { env })).code).toBe(0)
    const local = await run(['keys', 'list', '--data', 'nothing'], { env: { ...env, PETSTORE_URL: server.ready.url } })
    expect([local.code, local.err]).toEqual([1, expect.stringContaining('There is no store at')])
  })
})

describe.skipIf(!isBuilt)('petstore login', () => {
  test('saves a key for its user alone, by name, and logout removes it', async () => {
    const { run, stores } = user('by-name')
    const { url } = server.ready
    expect((await run(['logout'])).err).toBe('petstore: You are not logged in.\n')
    const till = await issue('pets:read')
    expect((await run(['login', url, '--name', 'till'], { stdin: `${till}\n` })).code).toBe(0)
    const { code, out } = await run(['login', `${url}/v1`, '--name', 'shop', '--json'], { stdin: admin })
    expect([code, JSON.parse(out).name]).toEqual([0, 'Store'])
    expect([statSync(stores).mode & 0o777, statSync(join(stores, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    const list = await run(['keys', 'list'])
    expect([list.code, list.err]).toEqual([0, `petstore: The store is ${url}/v1 (petstore login, shop).\n`])
    expect((await run(['keys', 'list', '--url', 'till'])).err).toContain('scope')
    expect((await run(['keys', 'list', '--url', 'shop'])).code).toBe(0)
    expect((await run(['logout', 'nobody'])).err).toContain('to "nobody". The stores are: till, shop.')
    expect((await run(['logout'])).out).toBe(`Logged out of shop (${url}/v1).\n`)
    expect((await run(['keys', 'list'])).err).toContain('petstore login, till')
    expect(readFileSync(stores, 'utf8')).not.toContain(admin)
  })

  test('applies only where no store of this machine is selected', async () => {
    const { run } = user('beside-a-store')
    await run(['login', server.ready.url], { stdin: admin })
    expect((await run(['keys', 'list', '--data', 'nothing'])).err).toContain('There is no store at')
    expect((await run(['demo'])).code).toBe(0)
    expect((await run(['keys', 'list'])).out).not.toContain('Store')
  })

  test('saves no key that the store rejects, and uses XDG_CONFIG_HOME', async () => {
    const { run, home, stores } = user('refused')
    const refused = await run(['login', server.ready.url], { stdin: 'pet_live_wrong\n' })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not an API key of this service')])
    expect((await run(['login', server.ready.url], { stdin: '\n' })).err).toContain('No key was given')
    expect((await run(['login', 'http://192.0.2.1'], { stdin: admin })).code).toBe(2)
    expect(existsSync(stores)).toBe(false)
    const env = { XDG_CONFIG_HOME: join(home, 'config') }
    expect((await run(['login', server.ready.url], { env, stdin: admin })).code).toBe(0)
    expect(existsSync(join(home, 'config/petstore/stores.json'))).toBe(true)
  })

  test.each(['{', 'null', '{"stores":[{}]}', '{"stores":7}'])(
    'says what to do if its file is damaged: %s',
    async (text) => {
      const { run, stores } = user(`damaged-${Bun.hash(text)}`)
      mkdirSync(dirname(stores), { recursive: true })
      writeFileSync(stores, text)
      const { code, err } = await run(['keys', 'list'])
      const message = `petstore: ${stores} can't be read: it is damaged. Delete it, then log in again.\n`
      expect([code, err]).toEqual([1, message])
    },
  )

  test('does not show the key that is typed on a terminal', async () => {
    const { home } = user('typing')
    let shown = ''
    const child = Bun.spawn([executable, 'login', server.ready.url], {
      cwd: home,
      env: { HOME: home },
      terminal: {
        data(terminal, chunk) {
          shown += new TextDecoder().decode(chunk)
          if (shown.endsWith('/v1: ')) terminal.write(`${admin}x\x7f\r`)
        },
      },
    })
    expect([await child.exited, shown]).toEqual([0, expect.stringContaining('with the key "Store"')])
    expect(shown).not.toContain(admin)
  })
})
