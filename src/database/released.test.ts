import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { currentVersion, migrations } from './migrate.ts'
import { openDatabase } from './open.ts'
import { createOldStore, olderVersions, readRows } from './testing/old-store.ts'

let folder: ReturnType<typeof emptyFolder>
let path: string
beforeEach(() => {
  folder = emptyFolder()
  path = join(folder.path, 'production.db')
})
afterEach(() => folder.remove())

/** The tables of which a migration to a version takes away something on purpose. */
const droppedTables: Readonly<Record<number, readonly string[]>> = {
  28: ['routing_changes'],
  40: ['imports'],
  43: ['photo_files'],
}

test('stores of every released version are tried', () => {
  expect(olderVersions).toEqual(migrations.slice(1).map((_, i) => 27 + i))
  expect(olderVersions.at(-1)).toBe(currentVersion - 1)
})

test.each([...olderVersions])('a store of version %d keeps every record when it is opened', (version) => {
  const before = createOldStore(path, version)
  expect(Object.entries(before).filter(([, rows]) => rows.length < 3)).toEqual([])
  const { connection, close } = openDatabase(path, 0)
  const dropped = Object.entries(droppedTables).flatMap(([at, tables]) => (Number(at) > version ? tables : []))
  const kept = Object.fromEntries(Object.entries(before).filter(([table]) => !dropped.includes(table)))
  expect(readRows(connection, kept)).toEqual(kept)
  expect(connection.query('PRAGMA user_version').values()).toEqual([[currentVersion]])
  expect(connection.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  close()
})

test('photos of version 42 keep their files', () => {
  createOldStore(path, 42)
  const old = new Database(path)
  old.run('DELETE FROM photo_files')
  for (const [size, bytes] of Object.entries({ large: 3, medium: 2, small: 1 })) {
    old.run('INSERT INTO photo_files SELECT id, ?1, randomblob(32), id * ?2 FROM pet_photos', [size, bytes])
  }
  const files = 'SELECT photo_id, size, hex(hash), bytes FROM photo_files ORDER BY photo_id, size'
  const before = old.query(files).values()
  old.close()
  const { connection, close } = openDatabase(path, 0)
  expect(before).toHaveLength(9)
  expect(connection.query(files).values()).toEqual(before)
  close()
})
