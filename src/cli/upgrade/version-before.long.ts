import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { currentVersion } from '../../database/migrate.ts'
import { emptyFolder, executable, isBuilt } from '../../testing/executable.ts'
import { schemaOf } from './executable.ts'

const root = resolve(import.meta.dir, '../../..')
const git = (...args: readonly string[]) => {
  const { exitCode, stdout } = Bun.spawnSync(['git', ...args], { cwd: root })
  return exitCode === 0 ? stdout.toString().trim() : ''
}

/** The last commit before the newest migration; empty where the history does not have it. */
function commitBefore(): string {
  const newest = readdirSync(join(root, 'src/database/migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)
  const added = git('log', '--format=%H', '--diff-filter=A', '--', `src/database/migrations/${newest}`)
    .split('\n')
    .at(-1)
  return added ? git('rev-parse', '--verify', '--quiet', `${added}^`) : ''
}

const commit = isBuilt && git('rev-parse', '--is-shallow-repository') === 'false' ? commitBefore() : ''
if (commit === '') {
  console.error(
    'SKIPPED: an upgrade from the version before needs the executable and the history of the repository, which is shallow or not there.',
  )
}
const built = join(root, 'dist/versions', commit, 'petstore')

/** Builds the executable of the commit from the history, once. */
async function buildBefore(): Promise<void> {
  if (existsSync(built)) return
  const source = emptyFolder()
  try {
    git('clone', '--quiet', '--shared', '--no-checkout', root, source.path)
    const script = `git checkout --quiet ${commit} && scripts/build.sh`
    const child = Bun.spawn(['sh', '-c', script], { cwd: source.path, stdout: 'ignore', stderr: 'pipe' })
    const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (code !== 0) throw new Error(`The build of ${commit} has failed: ${errors.slice(-500)}`)
    mkdirSync(resolve(built, '..'), { recursive: true })
    renameSync(join(source.path, 'dist/petstore'), built)
  } finally {
    source.remove()
  }
}

describe.skipIf(commit === '')(`an upgrade from ${commit.slice(0, 12)}, the commit before the newest migration`, () => {
  let folder: ReturnType<typeof emptyFolder>
  const running: Bun.Subprocess[] = []
  beforeAll(buildBefore, 600_000)
  beforeEach(() => {
    folder = emptyFolder()
  })
  afterEach(async () => {
    for (const child of running.splice(0)) {
      child.kill('SIGKILL')
      await child.exited
    }
    folder.remove()
  })
  afterAll(() => {
    // Executables of earlier commits.
    const versions = resolve(built, '../..')
    for (const name of readdirSync(versions)) if (name !== commit) rmSync(join(versions, name), { recursive: true })
  })

  async function run(file: string, ...args: readonly string[]) {
    const child = Bun.spawn([file, ...args], {
      cwd: folder.path,
      env: { PATH: '/usr/bin:/bin' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, out, err }
  }

  async function serve(file: string) {
    const child = Bun.spawn([file, 'serve', '--port', '0', '--json', '--log-level', 'error'], {
      cwd: folder.path,
      env: { PATH: '/usr/bin:/bin' },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    running.push(child)
    const { value } = await child.stdout.getReader().read()
    return { ...JSON.parse(new TextDecoder().decode(value)), child } as {
      url: string
      key: string
      child: typeof child
    }
  }

  /** What the API returns for every kind of record. */
  async function records(url: string, key: string): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    for (const list of [
      '/pets',
      '/categories',
      '/store/orders',
      '/keys',
      '/accounts',
      '/projects',
      '/audit',
      '/imports',
    ]) {
      const all: unknown[] = []
      // The older version names the next page by its path.
      for (let next: string | undefined = `/v1${list}?limit=100`; next; ) {
        const response: Response = await fetch(new URL(next, url), { headers: { authorization: `Bearer ${key}` } })
        expect([next, response.status]).toEqual([next, 200])
        all.push(...((await response.json()) as unknown[]))
        next = /^<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      }
      found[list] = all
    }
    return found
  }

  /** Without what every request changes, and what a newer petstore adds. */
  function comparable(found: Record<string, unknown>, like: Record<string, unknown>) {
    const same = (value: unknown, other: unknown): unknown =>
      Object.fromEntries(
        Object.keys(other as object)
          .filter((name) => !/^(lastUsedAt|usedToday)$/.test(name))
          .map((name) => [name, (value as Record<string, unknown>)[name]]),
      )
    return Object.fromEntries(
      Object.entries(like).map(([list, others]) => [
        list,
        (others as object[]).map((other) => {
          const id = (other as { id: unknown }).id
          const one = (found[list] as { id: unknown }[]).find((record) => record.id === id)
          return one === undefined ? `${id} is missing` : same(one, other)
        }),
      ]),
    )
  }

  test('keeps every record, and the backup leads back to the old executable with all of them', async () => {
    expect((await run(built, 'demo')).code).toBe(0)
    const issued = await run(
      built,
      'keys',
      'create',
      '--name',
      'Admin',
      '--plan',
      'business',
      '--scope',
      'admin',
      '--json',
    )
    const { key } = JSON.parse(issued.out)
    expect((await run(built, 'projects', 'create', 'Paws')).code).toBe(0)
    const old = await serve(built)
    const before = await records(old.url, key)

    const tried = await run(executable, 'upgrade', executable)
    expect([tried.code, tried.out]).toEqual([0, expect.stringContaining('works on a copy of the store')])
    expect((await fetch(`${old.url}/readyz`)).status).toBe(200)
    old.child.kill('SIGTERM')
    expect(await old.child.exited).toBe(0)

    const next = await serve(executable)
    expect(comparable(await records(next.url, key), before)).toEqual(comparable(before, before))
    next.child.kill('SIGTERM')
    expect(await next.child.exited).toBe(0)
    expect(schemaOf(join(folder.path, 'data/production.db'))).toBe(currentVersion)

    const refused = await run(built, 'serve', '--port', '0')
    const backup = readdirSync(join(folder.path, 'data/backups')).find((name) => name.includes('before-upgrade')) ?? ''
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`petstore backup restore ${basename(backup)}`),
    ])
    expect((await run(built, 'backup', 'restore', backup)).code).toBe(0)
    const again = await serve(built)
    expect(comparable(await records(again.url, key), before)).toEqual(comparable(before, before))
  }, 120_000)
})
