import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createStores } from '../../app/stores.ts'
import { openDatabase } from '../../database/open.ts'
import { createOldStore } from '../../database/testing/old-store.ts'
import { pageRange } from '../../lib/steps/collect.ts'
import { emptyFolder } from '../../testing/executable.ts'

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

test('the first start removes what unfinished imports of 1.0.0 have added, and finishes undos that have begun', () => {
  const path = join(folder.path, 'production.db')
  createOldStore(path, 33, () => false)
  const old = new Database(path)
  old.run(`
    INSERT INTO imports (id, created_at, sha256, imported, skipped, first_pet_id, last_pet_id, completed_at, undoing_at)
    VALUES (1, 1000, x'01', 2, 0, 1, 2, 1500, NULL), (2, 2000, x'02', 5, 0, 3, 7, NULL, NULL),
      (3, 3000, x'03', 3, 0, 8, 10, 3500, 3600), (4, 4000, x'04', 9, 0, 11, 19, NULL, NULL);
    INSERT INTO categories (id, name, folded_name, import_id)
    VALUES (7, 'Rabbit', 'rabbit', 2), (8, 'Goat', 'goat', 4), (9, 'Newt', 'newt', 1);
    INSERT INTO pets (id, name, folded_name, category_id, status)
    WITH RECURSIVE ids(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM ids WHERE value < 15)
    SELECT value, 'pet ' || value, 'pet ' || value, CASE WHEN value < 3 THEN 9 WHEN value < 8 THEN 7 ELSE 8 END, 'available'
    FROM ids;
    INSERT INTO changed_imported_pets VALUES (4), (10);
    INSERT INTO pet_totals SELECT category_id, status, count(*) FROM pets GROUP BY 1, 2;
    INSERT INTO pet_totals SELECT 0, status, count(*) FROM pets GROUP BY 2;
  `)
  old.close()
  const { tables, connection, close } = openDatabase(path, 0)
  const { pets, imports, categories } = createStores({ tables, connection })
  expect(pets.page({}, pageRange('asc', undefined), 100).records.map(({ id }) => id)).toEqual([1, 2, 4, 10])
  expect(pets.inventory()).toEqual({ available: 4, pending: 0, sold: 0 })
  expect([7, 8, 9].map((id) => [pets.countInCategory(id), categories.find(id)?.name])).toEqual([
    [1, 'Rabbit'],
    [1, 'Goat'],
    [2, 'Newt'],
  ])
  const rows = imports.page(pageRange('asc', undefined), 10)
  expect(rows.map(({ id, undoneAt }) => [id, undoneAt])).toEqual([
    [1, null],
    [2, 2000],
    [3, 3600],
  ])
  close()
})
