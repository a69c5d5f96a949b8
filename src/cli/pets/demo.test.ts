import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { isBuilt, makeStore } from '../../testing/executable.ts'
import { serverPerFile } from '../../testing/per-test/workspace.ts'

const { folder, petstore, send } = serverPerFile()

describe.skipIf(!isBuilt)('petstore demo', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the content of the body
  const call = async (path: string, init: RequestInit = {}): Promise<any> =>
    (await send(path, { ...init, headers: { 'Content-Type': 'application/json' } })).json()

  test('fills the store of a running server, which lists every record and keeps running', async () => {
    const { code, out } = await petstore('demo')
    expect(code).toBe(0)
    expect(out).toMatch(/^Added 300 animals in 7 categories, 3\d\d photos and 15 orders\.\n$/)
    expect(await call('/v1/pets?limit=2')).toEqual([
      { id: 1, name: expect.any(String), categoryId: 1, status: 'available' },
      { id: 2, name: expect.any(String), categoryId: 2, status: 'available' },
    ])
    expect(await call('/v1/store/inventory')).toEqual({ available: 288, pending: 6, sold: 6 })
    expect(await call('/v1/store/orders?status=placed')).toHaveLength(3)
    expect((await call('/v1/categories')).map(({ name }: { name: string }) => name)).toContain('Rabbit')
    expect(await call('/v1/pets?q=tikki')).toMatchObject([{ name: 'Rikki Tikki Tavi' }])
    const profiles = await call('/v1/pets/profiles?limit=100&order=desc')
    expect(profiles.filter(({ photos }: { photos: object[] }) => photos.length > 0).length).toBeGreaterThan(80)
    expect(profiles[0]).toMatchObject({ petId: 300, currency: 'EUR', number: 'A-1300' })
    const { photos } = profiles.find(({ photos }: { photos: object[] }) => photos.length > 0)
    const { large, medium, small } = photos[0]
    for (const [address, width] of [
      [large, 640],
      [medium, 640],
      [small, 400],
    ]) {
      const picture = await (await send(address)).bytes()
      expect(await new Bun.Image(picture).metadata()).toMatchObject({ width, height: (width * 3) / 4 })
    }
    const rex = await call('/v1/pets', { method: 'POST', body: '{"name":"Rex","categoryId":7}' })
    expect(rex).toMatchObject({ id: 301 })
  })

  test('fails with one line on a store that is not empty, and leaves that unchanged', async () => {
    const before = await petstore('pets', 'export')
    for (const args of [['demo'], ['demo', '--json']]) {
      const { code, out, err } = await petstore(...args)
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^petstore: The store already has animals or orders: [^\n]+\n$/)
    }
    expect(await petstore('pets', 'export')).toEqual(before)
  })

  test('adds no animal and no category if the last order fails', async () => {
    const broken = ['--data', 'broken']
    makeStore(folder, { data: 'broken' })
    const { connection, close } = openDatabase(join(folder, 'broken/production.db'), 0)
    connection.run(
      "CREATE TRIGGER fails AFTER INSERT ON orders WHEN new.id = 15 BEGIN SELECT raise(ABORT, 'disk full'); END",
    )
    expect(await petstore('demo', ...broken)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('disk full'),
    })
    const count = (table: string) => connection.query(`SELECT count(*) AS rows FROM ${table}`).get()
    expect(['pets', 'orders', 'categories'].map(count)).toEqual([{ rows: 0 }, { rows: 0 }, { rows: 6 }])
    close()
  })

  test('prints the numbers as one JSON document with --json', async () => {
    const { code, out } = await petstore('demo', '--json', '--data', 'another')
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { animals: 300, categories: 7, photos: expect.any(Number), orders: 15 },
    ])
  })
})
