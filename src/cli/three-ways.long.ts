/**
 * Every command in three ways: beside a server, without one, and from another machine. The results and the effects are
 * the same.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { imageBytes } from '../shop/photos/testing/images.ts'
import { emptyFolder, isBuilt, proxiedHosting, runPetstore, startPetstoreProcess } from '../testing/executable.ts'
import { commands } from './commands.ts'

const ways = ['beside a server', 'without a server', 'from another machine'] as const
type Way = (typeof ways)[number]

// No packet leaves the machine: nothing listens on this port.
const hosting = ['--platform-domain', 'stores.example', '--dns-resolver', '127.0.0.1:9', ...proxiedHosting]

const workspace = emptyFolder()
afterAll(workspace.remove)

interface Step {
  readonly command: string
  readonly code: number
  /** The document that was printed, without what differs from run to run. */
  readonly result: unknown
}

interface Recorded {
  readonly steps: readonly Step[]
  /** What the audit log has of the commands: the action and who has done it. */
  readonly audit: readonly { readonly action: string; readonly actor: string }[]
}

/**
 * Members that differ from run to run; `usedToday` and `lastUsedAt`, because only requests with a key count;
 * `createdBy` is the actor.
 */
const varying = /^(requestId|key|secret|prefix|file|slug|url|bytes|usedToday|lastUsedAt|elapsedMs|createdBy)$/

function masked(name: string, value: unknown): unknown {
  if (varying.test(name)) return `a ${name}`
  // Ids of events are times.
  if (typeof value === 'number' && value > 1e15) return 'a time'
  if (typeof value !== 'string') return value
  return value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time').replaceAll(/[0-9a-f]{32}/g, 'a token')
}

/** Runs all commands of the table against a new store. */
async function record(way: Way): Promise<Recorded> {
  const home = join(workspace.path, way.replaceAll(' ', '-'))
  mkdirSync(join(home, 'site'), { recursive: true })
  writeFileSync(join(home, 'site/index.html'), '<h1>Paws</h1>')
  writeFileSync(join(home, 'cat.png'), await imageBytes('png'))
  writeFileSync(join(home, 'animals.csv'), 'name,category,status\nRex,Dog,available\nAda,Cat,sold\n')
  // The first start makes the account "Store" and its key, and saves the options of hosting.
  const serve = () => startPetstoreProcess(hosting, { cwd: home })
  const first = await serve()
  const key = first.ready.key ?? ''
  const server = way === 'without a server' ? await first.stop().then(() => undefined) : first
  const isRemote = way === 'from another machine'
  const other = join(home, 'elsewhere')
  mkdirSync(other)
  const env = isRemote && server ? { PETSTORE_URL: server.ready.url, PETSTORE_KEY: key } : {}
  const steps: Step[] = []

  async function run(command: string, ...args: string[]) {
    const line = [...command.split(' '), ...args, '--json']
    const { code, out, err } = await runPetstore(line, { cwd: isRemote ? other : home, env })
    if (out === '') throw new Error(`${line.join(' ')}: ${err}`)
    const result = JSON.parse(out)
    steps.push({ command, code, result: JSON.parse(out, masked) })
    return result
  }

  await run('accounts list')
  await run('accounts update', '1', '--name', 'Shop')
  const { id } = await run('keys create', '--name', 'Till', '--plan', 'pro', '--scope', 'pets:read')
  await run('keys list')
  await run('keys unban', String(id))
  await run('keys roll', String(id), '--overlap', '0s')
  await run('keys revoke', String(id))
  await run('pets import', join(home, 'animals.csv'))
  await run('pets export')
  // Changes nothing: the audit log has no changes of animals by keys.
  await run('pets set', '1', 'breed=')
  await run('pets show', '1')
  await run('pets photos add', '1', join(home, 'cat.png'))
  await run('pets photos list', '1')
  await run('pets photos remove', '1', '1')
  await run('settings set', 'currency=EUR')
  await run('settings show')
  const { slug } = await run('projects create', 'Paws', '--account', '1')
  await run('deploy', join(home, 'site'), '--project', slug)
  await run('projects list')
  await run('domains add', 'www.paws.example', '--project', slug)
  await run('domains verify', 'www.paws.example')
  await run('domains list')
  await run('domains check', 'a..b.example')
  await run('domains remove', 'www.paws.example')
  const { file } = await run('backup create')
  await run('backup list')
  await run('backup verify', isRemote ? file : basename(file))
  await run('backup download', basename(file), join(home, 'copy.db'))
  await run('pets import', '--undo', '1')
  await run('events list', '--types', 'pet.*,import.*,key.*')

  const reading = server ?? (await serve())
  const response = await fetch(`${reading.ready.url}/v1/audit?limit=100`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const entries = (await response.json()) as { action: string; actor: string }[]
  await reading.kill()
  // Older entries are of the first start.
  const own = entries.filter(({ actor }) => (isRemote ? actor === 'key:1' : actor === 'command'))
  return { steps, audit: own.map(({ action, actor }) => ({ action, actor })).reverse() }
}

describe.skipIf(!isBuilt)('every command', () => {
  const recorded = new Map<Way, Recorded>()
  const of = (way: Way) => recorded.get(way) ?? { steps: [], audit: [] }
  beforeAll(async () => {
    for (const way of ways) recorded.set(way, await record(way))
  }, 120_000)

  test('is in the table, or works on the machine alone', () => {
    const run = new Set(of('beside a server').steps.map(({ command }) => command))
    // Without end, and not without a server.
    run.add('events tail')
    // What they print depends on whether a server runs; and nothing here was restored.
    for (const name of ['status', 'doctor', 'backup confirm']) run.add(name)
    const others = commands.filter(({ name }) => !run.has(name))
    expect(others.filter(({ isLocal }) => !isLocal).map(({ name }) => name)).toEqual([])
    expect(commands.filter(({ name, isLocal }) => run.has(name) && isLocal)).toEqual([])
  })

  test('succeeds, or finds the faults of a domain that nobody has', () => {
    const failed = of('beside a server').steps.filter(({ code }) => code !== 0)
    expect(failed.map(({ command }) => command)).toEqual(['domains verify', 'domains check'])
  })

  test.each(ways.slice(1))('prints the same %s as beside a server', (way) => {
    const { steps } = of('beside a server')
    expect(of(way).steps.map(({ command }) => command)).toEqual(steps.map(({ command }) => command))
    for (const [index, step] of steps.entries()) expect(of(way).steps[index]).toEqual(step)
  })

  test.each(ways)('is recorded in the audit log with its actor %s', (way) => {
    const { audit } = of(way)
    const actor = way === 'from another machine' ? 'key:1' : 'command'
    expect(new Set(audit.map((entry) => entry.actor))).toEqual(new Set([actor]))
    const actions = audit.map(({ action }) => action)
    expect(actions).toEqual(of('beside a server').audit.map(({ action }) => action))
    for (const action of ['account.changed', 'key.created', 'import.created', 'project.created', 'backup.created']) {
      expect(actions).toContain(action)
    }
  })
})
