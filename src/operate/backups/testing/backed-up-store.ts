/** A store that was backed up and then changed, for tests of restoring. */

import { join } from 'node:path'
import { openDatabase } from '../../../database/open.ts'
import { emptyFolder } from '../../../testing/executable.ts'
import { createBackup } from '../create.ts'
import type { StorePlace } from '../folder.ts'

export const noon = Date.UTC(2026, 10, 20, 10, 15)
export const addPet = "INSERT INTO pets (name, folded_name, category_id, status) VALUES (?1, lower(?1), 1, 'available')"
export const selectNames = 'SELECT name FROM pets ORDER BY id'

/** A new store and the path of its backup: "Ada" was added before the backup, "Bea" after it. */
export function createBackedUpStore() {
  const folder = emptyFolder()
  const place: StorePlace = { databasePath: join(folder.path, 'production.db'), environment: 'production' }
  add(place, 'Ada')
  const backup = createBackup(place, () => noon).file
  add(place, 'Bea')
  return { folder, place, backup }
}

export type BackedUpStore = ReturnType<typeof createBackedUpStore>

function add({ databasePath }: StorePlace, name: string): void {
  const { connection, close } = openDatabase(databasePath, 0)
  connection.run(addPet, [name])
  close()
}

/** The animals that the next command or server reads. */
export function animalsIn(databasePath: string): unknown[] {
  const { connection, close } = openDatabase(databasePath, 0)
  const names = connection.query(selectNames).values().flat()
  close()
  return names
}
