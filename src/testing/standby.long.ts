import { Database } from 'bun:sqlite'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { emptyFolder, isBuilt, type PetstoreProcess, runPetstore, startPetstoreProcess } from './executable.ts'

const version = '0.5.18'
const litestream = resolve(import.meta.dir, `../../dist/litestream-${version}/litestream`)

/** Builds the real program once, from Go's module proxy. Returns why it is not available; undefined if it is. */
function buildLitestream(): string | undefined {
  if (existsSync(litestream)) return undefined
  const go = Bun.which('go')
  if (go === null) return 'it needs Go'
  const module = `github.com/benbjohnson/litestream/cmd/litestream@v${version}`
  const env = { ...process.env, GOBIN: resolve(litestream, '..'), GOFLAGS: '-mod=mod' }
  const { exitCode, stderr } = Bun.spawnSync([go, 'install', module], { env, cwd: '/' })
  return exitCode === 0 ? undefined : `go install has failed: ${stderr.toString().trim().split('\n').at(-1)}`
}
const missing = isBuilt ? buildLitestream() : 'the executable is not built'
if (missing !== undefined) console.error(`SKIPPED: a standby with Litestream: ${missing}.`)

/** Every record that was acknowledged so long before the machine is gone is on the standby, in milliseconds. */
const promisedMs = 2_000

describe.skipIf(missing !== undefined)(`Litestream ${version} beside the service`, () => {
  let folder: ReturnType<typeof emptyFolder>
  let server: PetstoreProcess
  let replication: Bun.Subprocess | undefined
  let key = ''
  /** Ids with the times at which their creation was acknowledged. */
  const acknowledged = new Map<number, number>()
  const failures: unknown[] = []

  const at = (path: string) => join(folder.path, path)

  beforeAll(() => {
    mkdirSync(resolve(litestream, '..'), { recursive: true })
  })
  beforeEach(async () => {
    folder = emptyFolder()
    acknowledged.clear()
    failures.length = 0
    server = await startPetstoreProcess([], { cwd: folder.path })
    const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '100000000']
    const issued = await runPetstore(['keys', 'create', '--name', 'Load', ...unlimited, '--json'], { cwd: folder.path })
    key = JSON.parse(issued.out).key
    writeFileSync(
      at('litestream.yml'),
      `dbs:\n  - path: ${at('data/production.db')}\n    replica:\n      type: file\n      path: ${at('replica')}\n`,
    )
  })
  afterEach(async () => {
    await server.kill()
    replication?.kill('SIGKILL')
    await replication?.exited
    folder.remove()
  })

  function replicate(): void {
    const log = Bun.file(at('litestream.log'))
    replication = Bun.spawn([litestream, 'replicate', '-config', at('litestream.yml')], { stdout: log, stderr: log })
  }

  /** Sixteen clients that add animals until `isOver`. */
  async function load(isOver: () => boolean): Promise<void> {
    const client = async () => {
      while (!isOver()) {
        const response = await fetch(`${server.ready.url}/v1/pets`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: '{"name":"Ada","categoryId":1}',
        }).catch(() => undefined)
        if (isOver()) return
        if (response?.status !== 201) failures.push(response?.status)
        else acknowledged.set(((await response.json()) as { id: number }).id, performance.now())
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
  }

  /** Lets the load run until so many milliseconds have passed in which records were acknowledged. */
  async function loadFor(ms: number): Promise<void> {
    const end = performance.now() + ms
    await load(() => performance.now() >= end)
  }

  /**
   * The standby's store, as Litestream has it after both machines' processes are gone; returns the ids of its animals.
   */
  async function restored(): Promise<number[]> {
    mkdirSync(at('standby'))
    const command = [litestream, 'restore', '-config', at('litestream.yml'), '-o', at('standby/production.db')]
    const { exitCode, stderr } = Bun.spawnSync([...command, at('data/production.db')])
    expect([exitCode, exitCode === 0 ? '' : stderr.toString()]).toEqual([0, ''])
    const database = new Database(at('standby/production.db'), { readwrite: true, create: false })
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    const ids = (database.query('SELECT id FROM pets ORDER BY id').values() as [number][]).map(([id]) => id)
    database.close(true)
    return ids
  }

  async function expectPromise(killedMs: number): Promise<void> {
    const ids = await restored()
    const present = new Set(ids)
    const promised = [...acknowledged].filter(([, ackMs]) => ackMs < killedMs - promisedMs).map(([id]) => id)
    expect(promised.length).toBeGreaterThan(500)
    expect(promised.filter((id) => !present.has(id))).toEqual([])
    // Without a gap: a change is there only with all before it.
    expect(ids).toEqual(ids.map((_, i) => i + 1))
  }

  test('after kill -9 of both, the standby has every record that was acknowledged two seconds before, without a gap', async () => {
    replicate()
    await loadFor(3_000)
    let isOver = false
    const running = load(() => isOver)
    await loadFor(3_000)
    const killedMs = performance.now()
    isOver = true
    replication?.kill('SIGKILL')
    await server.kill()
    await running
    expect(failures).toEqual([])
    await expectPromise(killedMs)

    const standby = await startPetstoreProcess(['--data', at('standby')], { cwd: folder.path })
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${standby.ready.url}/v1/pets/count`, { headers })
    await standby.kill()
    expect([answer.status, (await answer.json()).count]).toEqual([200, expect.any(Number)])
  })

  test('it may stop and return, and a backup contains what it has written into the store', async () => {
    replicate()
    await loadFor(1_500)
    replication?.kill('SIGTERM')
    await replication?.exited
    await loadFor(1_500)
    replicate()
    await loadFor(4_000)
    const killedMs = performance.now()
    replication?.kill('SIGKILL')
    expect(failures).toEqual([])
    const backup = await runPetstore(['backup', 'create', '--json'], { cwd: folder.path })
    expect([backup.code, backup.err]).toEqual([0, ''])
    const doctor = await runPetstore(['doctor'], { cwd: folder.path })
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringContaining('and the tables of Litestream')])
    await server.kill()
    await expectPromise(killedMs)
  })
})
