import { describe, expect, test } from 'bun:test'
import { executable, isBuilt } from '../../testing/executable.ts'
import { eventually } from '../../testing/per-test/server.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { folder, petstore, json, ready, send } = serverPerFile()
const call = (key: string, path = '/v1/pets') => send(path, { key })
/** The time of the last use is stored up to ten seconds later. */
const withoutUse = (key: object) => ({ ...key, lastUsedAt: undefined })

describe.skipIf(!isBuilt)('petstore keys, beside a running server', () => {
  test('a key works as soon as it is printed, with the scopes and limits that were given', async () => {
    const issued = await json('keys', 'create', '--name', 'Website', '--scope', 'pets:read', '--expires', '90d')
    expect(Object.keys(issued)).toEqual(['id', 'accountId', 'name', 'plan', 'scopes', 'expiresAt', 'key'])
    expect(issued).toMatchObject({ name: 'Website', plan: 'free', scopes: ['pets:read'] })
    const lifetimeMs = Date.parse(issued.expiresAt) - Date.now()
    expect(Math.abs(lifetimeMs - 90 * 86_400_000)).toBeLessThan(60_000)
    const response = await call(issued.key)
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '60'])
  })

  test('without --json the key is alone on the first line', async () => {
    const run = await petstore('keys', 'create', '--name', 'Person')
    expect(run.out.split('\n')[0]).toMatch(/^pet_live_[0-9A-Za-z]{36}$/)
  })

  test('a key that cannot be printed does not stay active', async () => {
    const { id } = await json('keys', 'create', '--name', 'Old')
    const before = await json('keys', 'list')
    const shell = async (command: string) => {
      const child = Bun.spawn(['sh', '-c', command, executable], { cwd: folder, stderr: 'pipe' })
      return [await child.exited, await new Response(child.stderr).text()]
    }
    const lost =
      /^petstore: The output is closed or \/dev\/null, so the (new )?key would be lost\. Nothing was changed; .*\n$/
    for (const target of ['>&-', '>/dev/null']) {
      expect(await shell(`"$0" keys create --name Lost ${target}`)).toEqual([1, expect.stringMatching(lost)])
      expect(await shell(`"$0" keys roll ${id} ${target}`)).toEqual([1, expect.stringMatching(lost)])
    }
    expect((await json('keys', 'list')).map(withoutUse)).toEqual(before.map(withoutUse))

    const full =
      /^petstore: The output can't be written: .*\. The new key was revoked(, and the old key works as before)?\.( Its account (\d+) stays: add --account \3\.)?\n$/
    const [code, message] = await shell('"$0" keys create --name Full >/dev/full')
    expect([code, message]).toEqual([1, expect.stringMatching(full)])
    const account = /add (--account \d+)\.\n$/.exec(String(message))?.[1]
    const accounts = await json('accounts', 'list')
    // What the message says opens no other account.
    const again = await shell(`"$0" keys create --name Full ${account} >/dev/full`)
    expect(again).toEqual([1, expect.stringMatching(/The new key was revoked\.\n$/)])
    expect(await shell(`"$0" keys roll ${id} >/dev/full`)).toEqual([1, expect.stringMatching(full)])
    expect(await json('accounts', 'list')).toHaveLength(accounts.length)
    const after: { id: number; revokedAt: string | null }[] = await json('keys', 'list')
    const ids = before.map((key: { id: number }) => key.id)
    const added = after.filter((key) => !ids.includes(key.id))
    expect(added.map(({ revokedAt }) => revokedAt)).toEqual(Array(3).fill(expect.any(String)))
    expect(after.filter((key) => ids.includes(key.id)).map(withoutUse)).toEqual(before.map(withoutUse))
    expect((await petstore('keys', 'roll', String(id))).code).toBe(0)
  })

  test('a key that a command revokes is rejected', async () => {
    const { id, key } = await json('keys', 'create', '--name', 'Short')
    expect((await call(key)).status).toBe(200)
    expect(await json('keys', 'revoke', String(id))).toMatchObject({ id, revokedAt: expect.any(String) })
    expect(await eventually(async () => (await call(key)).status === 401)).toBe(true)
    expect(await (await call(key)).json()).toMatchObject({ code: 'revoked_api_key' })
  })

  test('a change of plan takes effect', async () => {
    const { accountId, key } = await json('keys', 'create', '--name', 'Growing')
    expect((await call(key)).headers.get('x-ratelimit-limit')).toBe('60')
    const numbers = ['--per-minute', '7', '--per-day', '100']
    const account = await json('accounts', 'update', String(accountId), '--plan', 'enterprise', ...numbers)
    expect(account).toMatchObject({ id: accountId, plan: 'enterprise', perMinute: 7, perDay: 100 })
    expect(await eventually(async () => (await call(key)).headers.get('x-ratelimit-limit') === '7')).toBe(true)
  })

  test('a rolled key and its successor both work until the overlap ends', async () => {
    const { id, key } = await json('keys', 'create', '--name', 'Rolling')
    const successor = await json('keys', 'roll', String(id), '--overlap', '1h')
    expect([successor.name, successor.key.slice(0, 9)]).toEqual(['Rolling', 'pet_live_'])
    expect([await (await call(key)).json(), await (await call(successor.key)).json()]).toEqual([[], []])
    const ended = await json('keys', 'roll', String(successor.id), '--overlap', '0s')
    expect(await eventually(async () => (await call(successor.key)).status === 401)).toBe(true)
    expect((await call(ended.key)).status).toBe(200)
  })

  test('keys list shows a ban, and keys unban lifts it', async () => {
    const numbers = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '1']
    const { id, key } = await json('keys', 'create', '--name', 'Hasty', ...numbers)
    expect((await call(key)).status).toBe(200)
    expect(await (await call(key)).json()).toMatchObject({ code: 'daily_quota_exceeded' })
    const codeOf = async () => ((await (await call(key)).json()) as { code: string }).code
    // The first two seconds do not count towards a ban.
    expect(await eventually(async () => (await codeOf()) === 'key_banned')).toBe(true)
    const listed = (await json('keys', 'list')).find((one: { id: number }) => one.id === id)
    expect(Date.parse(listed.bannedUntil)).toBeGreaterThan(Date.now() + 590_000)
    expect(await json('keys', 'unban', String(id))).toMatchObject({ id, bannedUntil: null })
    expect(await eventually(async () => (await codeOf()) === 'daily_quota_exceeded')).toBe(true)
  })

  test('lists are arrays of the same objects that the API returns', async () => {
    const admin = ready().key ?? ''
    const keys = (await (await call(admin, '/v1/keys?limit=100')).json()) as object[]
    const listed = (await json('keys', 'list')) as object[]
    expect(listed.map(withoutUse)).toEqual(keys.map(withoutUse))
    // A command reads the counts as they were stored, up to a second ago.
    const withoutToday = ({ usedToday, ...rest }: { usedToday?: unknown }) => rest
    const accounts = (await (await call(admin, '/v1/accounts?limit=100')).json()) as object[]
    expect(((await json('accounts', 'list')) as object[]).map(withoutToday)).toEqual(accounts.map(withoutToday))
    expect((await petstore('keys', 'list')).out).toContain('Website')
  })

  test('--scope may be repeated or contain commas, and --account issues a further key for an account', async () => {
    const scopes = ['--scope', 'pets:read,orders:read', '--scope', 'pets:write', '--scope=pets:read']
    const first = await json('keys', 'create', '--name', 'Paws', ...scopes)
    expect(first.scopes).toEqual(['pets:read', 'orders:read', 'pets:write'])
    const second = await json('keys', 'create', '--name', 'Tablet', '--account', String(first.accountId))
    expect(second).toMatchObject({ accountId: first.accountId, name: 'Tablet', plan: 'free' })
  })

  test('keys roll prints the time until which the old key works', async () => {
    const { id, key } = await json('keys', 'create', '--name', 'Old')
    const shown = `The old key ${id} (${key.slice(0, 13)}…)`
    const rolled = await petstore('keys', 'roll', String(id), '--overlap', '2h')
    const [, until = ''] = /works until (.+)\.\n$/.exec(rolled.out) ?? []
    expect(rolled.out.split('\n')[0]).toMatch(/^pet_live_[0-9A-Za-z]{36}$/)
    expect(rolled.out).toEndWith(`${shown} works until ${until}.\n`)
    expect(Math.abs(Date.parse(until) - Date.now() - 7_200_000)).toBeLessThanOrEqual(60_000)
    const next = await json('keys', 'create', '--name', 'Older')
    const atOnce = await petstore('keys', 'roll', String(next.id), '--overlap', '0s')
    expect(atOnce.out).toEndWith(`The old key ${next.id} (${next.key.slice(0, 13)}…) has stopped working.\n`)
  })

  test('keys revoke prints the key, its account and when it was last used', async () => {
    const { id, accountId, key } = await json('keys', 'create', '--name', 'Website')
    await petstore('accounts', 'update', String(accountId), '--name', 'Paws & Co.')
    expect(await petstore('keys', 'revoke', String(id))).toEqual({
      code: 0,
      out: `Revoked key ${id} (${key.slice(0, 13)}…), "Website" of account ${accountId} (Paws & Co.).\nRequests with it now fail. No use of it is recorded.\n`,
      err: '',
    })
    expect((await petstore('keys', 'revoke', String(id))).out).toStartWith(
      `Key ${id} (${key.slice(0, 13)}…) was already revoked on `,
    )
    expect((await petstore('keys', 'unban', String(id))).out).toBe(`Key ${id} (${key.slice(0, 13)}…) is not banned.\n`)
  })

  test('wrong usage exits with 2, an unknown key or account with 1', async () => {
    const cases: [string[], number, string][] = [
      [['keys', 'create'], 2, '--name is missing: petstore keys create --name NAME. See: petstore help keys create'],
      [['keys', 'create', '--name', ' '], 2, '--name must not be blank'],
      [['keys', 'create', '--name', 'x', '--scope', 'all'], 2, '--scope must be one of'],
      [['keys', 'create', '--name', 'x', '--expires', 'soon'], 2, '--expires must be a duration'],
      [['keys', 'create', '--name', 'x', '--expires', '999999w'], 2, '--expires must end before the year 10000'],
      [['keys', 'roll', '1', '--overlap', '999999w'], 2, '--overlap must end before the year 10000'],
      [['keys', 'roll', '1', '--overlap', '366d'], 2, '--overlap must be at most 365d'],
      [
        ['accounts', 'update', '1', '--per-day', '5'],
        2,
        '--per-minute and --per-day can be set on the enterprise plan only',
      ],
      [
        ['accounts', 'update', '1', '--plan', 'enterprise', '--per-day', '5'],
        2,
        'needs both --per-minute and --per-day',
      ],
      [['keys', 'create', '--name', 'x', '--plan', 'gold'], 2, '--plan must be one of'],
      [['keys', 'create', '--name', 'x', '--plan', 'enterprise'], 2, 'needs --per-minute and --per-day'],
      [['keys', 'create', '--name', 'x', '--plan', 'free', '--per-day', '5'], 2, 'need --plan enterprise'],
      [['keys', 'create', '--name', 'x', '--account', '1', '--plan', 'free'], 2, 'Account 1 has a plan already'],
      [
        ['keys', 'create', '--name', 'x', '--account', '999'],
        1,
        'There is no account 999. See: petstore accounts list',
      ],
      // The API takes ids up to the largest integer that every JSON reader reads exactly.
      [['keys', 'create', '--name', 'x', '--account', '9007199254740991'], 1, 'There is no account 9007199254740991.'],
      [['keys', 'create', '--name', 'x', '--account', '9007199254740992'], 2, 'number from 1 to 9007199254740991, not'],
      [['keys', 'create', '--name', 'x', '--account', '9007199254740993'], 2, 'number from 1 to 9007199254740991, not'],
      [['keys', 'revoke'], 2, 'An argument is missing: petstore keys revoke ID.'],
      [['keys', 'revoke', 'x'], 2, 'ID must be a whole number'],
      [['keys', 'revoke', '999'], 1, 'There is no key 999. See: petstore keys list'],
      [['keys', 'roll', '999'], 1, 'There is no key 999. See: petstore keys list'],
      [['accounts', 'update', '999', '--name', 'x'], 1, 'There is no account 999. See: petstore accounts list'],
      [['accounts', 'update', '1'], 2, 'Nothing to change'],
    ]
    for (const [args, code, words] of cases) {
      const run = await petstore(...args)
      expect([args, run.code, run.out]).toEqual([args, code, ''])
      expect(run.err).toContain(words)
    }
  })
})
