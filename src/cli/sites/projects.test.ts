import { describe, expect, test } from 'bun:test'
import { emptyFolder, isBuilt, makeStore, runPetstore } from '../../testing/executable.ts'
import { eventually } from '../../testing/per-test/server.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { petstore, json, send } = serverPerFile()
const listOfServer = async () => (await send('/v1/projects?limit=100')).json()

describe.skipIf(!isBuilt)('petstore projects, beside a running server', () => {
  test('a project is created for the account "Store", listed, and served', async () => {
    expect(await listOfServer()).toEqual([])
    expect((await petstore('projects', 'list')).out).toContain('petstore projects create NAME')
    const project = await json('projects', 'create', ' Paws & Co. ')
    const members = {
      accountId: 1,
      name: 'Paws & Co.',
      slug: 'paws-co',
      cnameTarget: null,
      url: null,
      liveDeploy: null,
      hasWebshop: false,
      certificate: null,
    }
    expect(project).toEqual({ id: 1, ...members, createdAt: expect.any(String) })
    expect(await eventually(async () => Bun.deepEquals(await listOfServer(), [project]))).toBe(true)
    expect(await json('projects', 'list')).toEqual([project])
    const lines = (await petstore('projects', 'list')).out.split('\n')
    expect(lines[0]).toMatch(/^ID +NAME +SLUG +ACCOUNT +DEPLOYED +CREATED$/)
    expect(lines[1]).toMatch(/^ 1 +Paws & Co\. +paws-co +1 +never +\d{4}-\d\d-\d\d \d\d:\d\d$/)
  })

  test('--account chooses the account, which must exist', async () => {
    const { accountId } = await json('keys', 'create', '--name', 'Partner')
    const project = await json('projects', 'create', 'Website', '--account', String(accountId))
    expect(project).toMatchObject({ accountId, slug: 'website' })
    const unknown = await petstore('projects', 'create', 'Website', '--account', '999')
    expect([unknown.code, unknown.out]).toEqual([1, ''])
    expect(unknown.err).toBe('petstore: There is no account 999. See: petstore accounts list\n')
  })

  test('commands and requests that create projects of one name at once get different slugs', async () => {
    const accounts = await Promise.all([1, 2, 3].map((n) => json('keys', 'create', '--name', `Same ${n}`)))
    const request = async () => {
      const headers = { 'Content-Type': 'application/json' }
      return (await send('/v1/projects', { method: 'POST', headers, body: JSON.stringify({ name: 'Same' }) })).json()
    }
    const created: { slug: string }[] = await Promise.all([
      ...accounts.map(({ accountId }) => json('projects', 'create', 'Same', '--account', String(accountId))),
      ...Array.from({ length: 6 }, request),
    ])
    const slugs = created.map(({ slug }) => slug).sort()
    expect(slugs).toEqual(['same', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `same-${n}`)])
  })

  test('wrong usage exits with 2 and one line, and creates nothing', async () => {
    const before = await json('projects', 'list')
    for (const args of [[], ['a', 'b'], [' '], ['a\u0007'], ['x'.repeat(101)], ['a', '--account', '0x1']]) {
      const { code, out, err } = await petstore('projects', 'create', ...args)
      expect([args, code, out, err.trimEnd().split('\n').length]).toEqual([args, 2, '', 1])
    }
    expect(await json('projects', 'list')).toEqual(before)
  })

  test('an account that has 20 projects gets no other', async () => {
    const { accountId } = await json('keys', 'create', '--name', 'Many')
    for (let i = 0; i < 20; i++) await json('projects', 'create', 'Many', '--account', String(accountId))
    const { code, out, err } = await petstore('projects', 'create', 'Many', '--account', String(accountId))
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(`petstore: Account ${accountId} has 20 projects, and 20 is the most: delete one first.\n`)
  })
})

describe.skipIf(!isBuilt)('petstore projects create in a store that was never served', () => {
  test("opens the store's own account with the plan Business, whatever accounts keys have", async () => {
    const other = emptyFolder()
    const run = (...args: string[]) => runPetstore(args, { cwd: other.path })
    const list = async (what: string) => JSON.parse((await run(what, 'list', '--json')).out)
    const missing = await run('projects', 'create', 'Website')
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no store at')])
    makeStore(other.path)
    await run('keys', 'create', '--name', 'One')
    await run('keys', 'create', '--name', 'Two')
    expect((await run('projects', 'create', 'Website')).out).toContain('website')
    expect((await run('projects', 'create', 'Blog')).code).toBe(0)
    expect((await list('projects')).map(({ accountId }: { accountId: number }) => accountId)).toEqual([3, 3])
    expect((await list('accounts'))[2]).toMatchObject({ id: 3, name: 'Store', plan: 'business' })
    other.remove()
  })
})
