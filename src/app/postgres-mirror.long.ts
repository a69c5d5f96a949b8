/**
 * The mirror of docs/guide/growth.md in a real PostgreSQL follows 10,000 random changes of a real store. Both are
 * killed again and again, and the store is restored from a backup twice. After each round the mirror equals the store.
 */

import { afterAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { SQL } from 'bun'
import { createWorkspace, isBuilt, type PetstoreProcess } from '../testing/executable.ts'
import type { CallOptions } from '../testing/harness.ts'
import { freePort } from '../testing/peers/peer.ts'
import { hasPostgres, startPostgres } from '../testing/peers/postgres.ts'
import { createChanges, createRandom } from './testing/mirror.ts'

const workspace = createWorkspace()
/** Ends what the test has started, the last first, even after it has failed. */
const endings: (() => Promise<void>)[] = [workspace.close]
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

const changesInAll = 10_000
const rounds = 20
const clients = 8

test.skipIf(!isBuilt || !hasPostgres)(
  'the mirror in PostgreSQL equals the store after 10,000 changes with kills of both and a restore',
  async () => {
    const postgres = await startPostgres()
    const sql = new SQL(postgres.url)
    endings.push(postgres.stop, () => sql.close())
    // The mirror finds the store at the same address after a restart.
    const options = ['--port', String(await freePort('127.0.0.1'))]
    let server: PetstoreProcess = await workspace.serve(options)
    const { url, key = '' } = server.ready

    /** Sends a request; undefined if the server was killed meanwhile. */
    async function call(method: string, path: string, { body, rawBody, headers = {} }: CallOptions = {}) {
      const sent = body === undefined ? rawBody : JSON.stringify(body)
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const init = { method, headers: { Authorization: `Bearer ${key}`, ...type, ...headers } }
      try {
        const response = await fetch(url + path, sent === undefined ? init : { ...init, body: sent })
        return { link: response.headers.get('link') ?? '', json: JSON.parse((await response.text()) || 'null') }
      } catch {
        await Bun.sleep(50)
        return undefined
      }
    }

    /** Every record of a list. */
    async function all(path: string): Promise<readonly { readonly id: number }[]> {
      const records = []
      for (let next: string | undefined = `${path}?limit=100`; next !== undefined; ) {
        const page = await call('GET', next)
        records.push(...(page?.json ?? []))
        next = /(\/v1\/[^>]+)>; rel="next"/.exec(page?.link ?? '')?.[1]
      }
      return records
    }

    const startMirror = () =>
      Bun.spawn([process.execPath, resolve(import.meta.dir, '../../docs/guide/postgres/mirror.mjs')], {
        env: { PETSTORE_URL: url, PETSTORE_KEY: key, DATABASE_URL: postgres.url },
        stdio: ['ignore', 'ignore', 'ignore'],
      })
    let mirror = startMirror()
    async function killMirror(): Promise<void> {
      mirror.kill('SIGKILL')
      await mirror.exited
    }
    endings.push(killMirror)

    /** Waits until the mirror has the newest event, and compares all records. */
    async function compare(): Promise<void> {
      const newest = await call('GET', '/v1/events?order=desc&limit=1&types=pet.*,category.*,import.*,order.*')
      const position = async () => (await sql`select last_event from mirror_position`.catch(() => []))[0]?.last_event
      while (Number(await position()) < newest?.json[0].id || (await position()) === undefined) {
        expect(mirror.exitCode).toBeNull()
        await Bun.sleep(20)
      }
      const mirrored = async (table: string) =>
        (await sql`select record from ${sql(table)} order by id`).map(({ record }: { record: object }) => record)
      expect(await mirrored('animals')).toEqual(await all('/v1/pets'))
      expect(await mirrored('orders')).toEqual(await all('/v1/store/orders'))
      const categories = (await all('/v1/categories')) as { id: number; name: string | null }[]
      const named = categories.filter(({ name }) => name !== null).map(({ id, name }) => ({ id, name }))
      expect(await mirrored('categories')).toEqual(named)
    }

    await call('PATCH', '/v1/accounts/1', { body: { plan: 'enterprise', perMinute: 1e9, perDay: 1e9 } })
    const change = createChanges(call, createRandom(39))
    for (let round = 0; round < rounds; round++) {
      const isRestored = round % 10 === 9
      const backup = isRestored ? JSON.parse((await workspace.run('backup', 'create', '--json')).out).file : undefined
      let left = changesInAll / rounds
      const work = Array.from({ length: clients }, async () => {
        while (left-- > 0) {
          // In the middle of the changes of the other clients.
          if (left === Math.floor(changesInAll / rounds / 2)) {
            if (round % 2 === 0) {
              await killMirror()
              mirror = startMirror()
            }
            if (round % 3 === 0) {
              await server.kill()
              server = await workspace.serve(options)
            }
          }
          await change()
        }
      })
      await Promise.all(work)
      await compare()
      if (!isRestored) continue
      await server.stop()
      expect(await workspace.run('backup', 'restore', backup)).toMatchObject({ code: 0 })
      server = await workspace.serve(options)
      await call('POST', '/v1/pets', { body: { name: 'After the restore', categoryId: 1 } })
      await compare()
    }
  },
  600_000,
)
