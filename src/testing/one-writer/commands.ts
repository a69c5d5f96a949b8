/** The actions beside a loaded server: each command, and what other programs do, with its assertions. */

import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { executable, runPetstore } from '../executable.ts'
import { nextOf, type Reply } from './client.ts'
import { type Animal, identityOf, type Pet } from './ledger.ts'
import { type World, words } from './load.ts'

/** Numbers that a run chooses at random. */
export interface Sizes {
  /** Rows of an import. */
  readonly rows: number
  /** After how long a command or server is killed, in milliseconds. */
  readonly killMs: number
  /** How long a reader pauses, in milliseconds. */
  readonly pauseMs: number
  /** How long another process keeps the write lock, in milliseconds. */
  readonly lockMs: number
}

export type Command = keyof typeof commands

const databasePath = (cwd: string) => join(cwd, 'data/production.db')

/**
 * Runs a command that must succeed and parses what it printed; undefined if the server was killed before it had
 * answered.
 */
async function petstore({ client }: World, args: readonly string[], stdin?: string) {
  const starts = client.starts()
  const { code, out, err } = await runPetstore([...args, '--json'], { cwd: client.cwd, ...(stdin ? { stdin } : {}) })
  if (code === 1 && client.starts() > starts) {
    expect([args, out, err]).toEqual([args, '', expect.stringMatching(/^petstore: The server ended before [^\n]+\n$/)])
    return undefined
  }
  expect([args, code, err]).toEqual([args, 0, expect.any(String)])
  return JSON.parse(out)
}

let files = 0

/** A file of animals with new categories, and the animals. */
function animalsFile(rows: number) {
  const file = files++
  const pets = Array.from({ length: rows }, (_, i) => ({
    name: `i${file}r${i} ${words[i % words.length]}`,
    status: 'available' as const,
  }))
  const lines = pets.map(({ name, status }, i) => `${name},Kind ${(file + i) % 20},${status}\n`)
  return { pets, text: `name,category,status\n${lines.join('')}` }
}

async function importAnimals(world: World, rows: number) {
  const { pets, text } = animalsFile(rows)
  for (const { name } of pets) world.ledger.sending(identityOf(name))
  const result = await petstore(world, ['pets', 'import', '-'], text)
  if (result === undefined) {
    world.ledger.unknownImport(pets.map(({ name }) => identityOf(name)))
    return undefined
  }
  expect(result.imported).toBe(rows)
  return { id: result.id as number, animals: world.ledger.imported(pets) }
}

/** Repeats a request until it succeeds. */
async function insist({ client }: World, method: string, path: string, body: object) {
  for (;;) {
    const reply = await client.attempt(method, path, {
      body,
      idempotencyKey: `${method} ${path} ${JSON.stringify(body)}`,
    })
    if (reply && reply.status < 300) return reply.json
    expect([undefined, 503]).toContain(reply?.status)
    await Bun.sleep(50)
  }
}

/** Undefined if the server was killed before it had answered. */
async function createKey(world: World, plan: string) {
  const starts = world.client.starts()
  const { cwd } = world.client
  const args = ['keys', 'create', '--name', 'Beside', '--plan', plan, '--json']
  const child = Bun.spawn([executable, ...args], { cwd, env: { PATH: '/usr/bin:/bin' }, stdout: 'pipe' })
  let out = ''
  // A key works as soon as it is printed, before the command has ended.
  for await (const chunk of child.stdout) {
    out += Buffer.from(chunk).toString()
    if (out.includes('\n')) break
  }
  if (out === '') {
    expect([await child.exited, world.client.starts() > starts]).toEqual([1, true])
    return undefined
  }
  const issued = JSON.parse(out) as { id: number; accountId: number; key: string }
  expect((await world.client.read('/pets?limit=1', issued.key)).status).toBe(200)
  expect(await child.exited).toBe(0)
  return issued
}

const readRow = (connection: Database) =>
  connection.query('SELECT count(*) AS pets, max(id) AS last, (SELECT count(*) FROM orders) AS orders FROM pets').get()

export const commands = {
  async 'pets import'(world: World, { rows }: Sizes) {
    await importAnimals(world, rows)
  },
  async 'pets import, killed'({ client: { cwd }, ledger }: World, { rows, killMs }: Sizes) {
    const { pets, text } = animalsFile(rows)
    ledger.unknownImport(pets.map(({ name }) => identityOf(name)))
    const stdin = new Blob([text])
    const child = Bun.spawn([executable, 'pets', 'import', '-'], { cwd, stdin, stdout: 'ignore', stderr: 'ignore' })
    await Bun.sleep(killMs / 5)
    child.kill('SIGKILL')
    await child.exited
  },
  async 'pets import --undo'(world: World, { rows }: Sizes) {
    const added = await importAnimals(world, rows)
    if (added === undefined) return
    const { id, animals } = added
    const [changed, ordered, ...rest] = animals as [Animal, Animal, ...Animal[]]
    for (const animal of rest) animal.isLeaving = true
    // A search that runs out of time ends a page early, possibly without animals.
    async function find({ name }: Animal): Promise<Pet[]> {
      let found: Pet[] = []
      let path: string | undefined = `/pets?q=${encodeURIComponent(name)}`
      while (path !== undefined && found.length === 0) {
        const page: Reply = await world.client.read(path)
        found = page.json
        path = nextOf(page)
      }
      return found
    }
    const [[{ id: changedId }], [{ id: orderedId }]] = [await find(changed), await find(ordered)] as [[Pet], [Pet]]
    changed.changedMs = performance.now()
    await insist(world, 'PATCH', `/pets/${changedId}`, { name: `${changed.name} kept` })
    changed.name += ' kept'
    ordered.changedMs = performance.now()
    const order = await insist(world, 'POST', '/store/orders', { petId: orderedId })
    world.ledger.orders.set(order.id, order)
    ordered.status = 'pending'
    for (;;) {
      const undone = await petstore(world, ['pets', 'import', '--undo', String(id)])
      if (undone) expect(undone).toMatchObject({ id, removed: rows - 2, changed: 1, ordered: 1 })
      if ((await world.client.read(`/imports/${id}`)).json.state === 'undone') break
    }
    for (const { identity } of rest) world.ledger.removed(identity)
  },
  /** An export to a reader that reads one byte and pauses, as `less` does. */
  async 'pets export'({ client, ledger }: World, { pauseMs }: Sizes) {
    const before = ledger.visible()
    const starts = client.starts()
    const script = `"$0" pets export --format ndjson | (dd bs=1 count=1 2>/dev/null; sleep ${pauseMs / 1_000}; cat)`
    const child = Bun.spawn(['/bin/sh', '-c', script, executable], { cwd: client.cwd, stdin: 'ignore', stdout: 'pipe' })
    const lines = (await new Response(child.stdout).text()).trimEnd().split('\n')
    // A killed server leaves a part of the export, and the command has failed.
    if (client.starts() > starts) return
    const pets = lines.map((line) => JSON.parse(line) as Pet)
    for (const pet of pets) ledger.see(pet)
    const found = new Set(pets.map(({ name }) => identityOf(name)))
    expect(found.size).toBe(pets.length)
    expect(before.filter(({ identity, isLeaving }) => !(found.has(identity) || isLeaving))).toEqual([])
  },
  async 'keys create and revoke'(world: World) {
    const issued = await createKey(world, 'business')
    if (issued === undefined || !(await petstore(world, ['keys', 'revoke', String(issued.id)]))) return
    expect((await world.client.read('/pets?limit=1', issued.key)).status).toBe(401)
  },
  async 'keys roll'(world: World) {
    const issued = await createKey(world, 'business')
    const successor = issued && (await petstore(world, ['keys', 'roll', String(issued.id), '--overlap', '0s']))
    if (issued === undefined || successor === undefined) return
    expect((await world.client.read('/pets?limit=1', successor.key)).status).toBe(200)
    expect((await world.client.read('/pets?limit=1', issued.key)).status).toBe(401)
  },
  async 'accounts update'(world: World) {
    const issued = await createKey(world, 'pro')
    const change = issued && ['accounts', 'update', String(issued.accountId), '--plan', 'business']
    if (change === undefined || !(await petstore(world, change))) return
    const { headers } = await world.client.read('/pets?limit=1', issued?.key)
    expect(headers.get('x-ratelimit-limit')).toBe('1000')
  },
  async 'backup create'(world: World) {
    const before = world.ledger.visible()
    const backup = await petstore(world, ['backup', 'create'])
    if (backup === undefined) return
    const sent = world.ledger.sent()
    const { animals } = await petstore(world, ['backup', 'verify', backup.file])
    expect(animals).toBeGreaterThanOrEqual(before.filter(({ isLeaving }) => !isLeaving).length)
    expect(animals).toBeLessThanOrEqual(sent)
  },
  async 'demo, on another store'(world: World) {
    expect((await petstore(world, ['demo', '--data', `other-${files++}`])).animals).toBeGreaterThan(0)
  },
  /** While another process has the lock, reads end and writes do not. */
  async 'BEGIN IMMEDIATE'({ client, ledger }: World, { lockMs }: Sizes) {
    await client.holding(async () => {
      const connection = new Database(databasePath(client.cwd))
      connection.run('PRAGMA busy_timeout = 10000')
      connection.run('BEGIN IMMEDIATE')
      const lockedMs = performance.now()
      let hasWritten = false
      const identity = `locked${files++}`
      ledger.sending(identity)
      const body = { name: `${identity} Rex`, categoryId: 1 }
      const write = client.attempt('POST', '/pets', { body }).then((reply) => {
        hasWritten = reply?.status === 201
        if (hasWritten) ledger.added(reply?.json)
        else if (reply) ledger.rejected(identity)
        else ledger.unknown(identity)
      })
      const paths = ['/pets', '/pets?q=rex', '/store/inventory', '/categories', '/store/orders', '/keys?limit=1']
      const reads = Promise.all(paths.map((path) => client.read(path)))
      // Reads that wait for the lock would not have ended by now.
      expect(await Promise.race([reads.then(() => 'ended'), Bun.sleep(6_000).then(() => 'waiting')])).toBe('ended')
      await Bun.sleep(Math.max(0, lockMs - (performance.now() - lockedMs)))
      expect(hasWritten).toBe(false)
      connection.run('COMMIT')
      connection.close()
      await write
    })
  },
  async 'BEGIN, with an open read'({ client: { cwd } }: World, { pauseMs }: Sizes) {
    const connection = new Database(databasePath(cwd), { readonly: true })
    connection.run('BEGIN')
    const before = readRow(connection)
    await Bun.sleep(pauseMs)
    expect(readRow(connection)).toEqual(before)
    connection.run('COMMIT')
    connection.close()
  },
  async 'kill -9 of the server'({ client }: World, { killMs }: Sizes) {
    await Bun.sleep(killMs)
    await client.restart()
  },
}
