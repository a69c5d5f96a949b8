/** Starts the servers that the executable is compared with, each with the same number of animals. */

import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { start } from '../measure.ts'

export interface Peer {
  readonly name: string
  readonly pid: number
  /** URL of the list of animals. */
  readonly list: string
  /** URL of one animal. */
  readonly one: string
  readonly headers: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Fastify; undefined, with a line on stderr, if it is not installed. */
export async function startFastify(folder: string, animals: number): Promise<Peer | undefined> {
  const directory = resolve(import.meta.dir, 'fastify')
  if (!Bun.which('node') || !existsSync(join(directory, 'node_modules'))) return missing('Fastify', 'Node and npm')
  const key = 'a-key-of-the-same-length-as-those-of-petstore'
  const command = ['node', join(directory, 'server.mjs'), join(folder, 'fastify.db'), String(animals), key]
  const { line, pid, stop } = await start(command, folder)
  const headers = { Authorization: `Bearer ${key}` }
  return { name: 'Fastify', pid, list: `${line}/v1/pets?limit=20`, one: `${line}/v1/pets/7000`, headers, stop }
}

/** PocketBase with open rules and without limits; undefined, with a line on stderr, if it is not built. */
export async function startPocketBase(folder: string, animals: number): Promise<Peer | undefined> {
  const binary = resolve(import.meta.dir, 'pocketbase/dist/pocketbase')
  if (!existsSync(binary)) return missing('PocketBase', 'Go')
  const data = ['--dir', join(folder, 'pb')]
  const [email, password] = ['bench@example.com', 'a-long-password']
  const { exitCode } = Bun.spawnSync([binary, 'superuser', 'upsert', email, password, ...data])
  if (exitCode !== 0) throw new Error('PocketBase cannot create its superuser')
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const url = `http://127.0.0.1:${port}`
  const child = Bun.spawn([binary, 'serve', `--http=127.0.0.1:${port}`, ...data], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await until(() => fetch(`${url}/api/health`).then(({ ok }) => ok))
  const session = await post(`${url}/api/collections/_superusers/auth-with-password`, { identity: email, password })
  await post(`${url}/api/collections`, collection, { Authorization: String(session['token']) })
  fill(join(folder, 'pb/data.db'), animals)
  const records = `${url}/api/collections/pets/records`
  return {
    name: 'PocketBase',
    pid: child.pid,
    list: `${records}?perPage=20`,
    one: `${records}/${idOf(7_000)}`,
    headers: {},
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

const rules = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
const collection = {
  name: 'pets',
  type: 'base',
  ...rules,
  fields: [
    { name: 'name', type: 'text', required: true, max: 100 },
    { name: 'categoryId', type: 'number', required: true },
    { name: 'status', type: 'select', values: ['available', 'pending', 'sold'] },
  ],
}

const idOf = (number: number) => `pet${String(number).padStart(12, '0')}`

function fill(path: string, animals: number): void {
  const database = new Database(path)
  database.run('PRAGMA busy_timeout = 5000')
  const insert = database.prepare('INSERT INTO pets (id, name, categoryId, status) VALUES (?1, ?2, ?3, ?4)')
  database.transaction(() => {
    for (let i = 1; i <= animals; i++) insert.run(idOf(i), 'Honeysuckle', 1 + (i % 6), 'available')
  })()
  database.close()
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const type = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isDone().catch(() => false)) return
    await Bun.sleep(100)
  }
  throw new Error('PocketBase did not start')
}

function missing(name: string, needs: string): undefined {
  console.error(`SKIPPED: ${name} is not installed. bench/run.sh installs it where ${needs} are at hand.`)
  return undefined
}
