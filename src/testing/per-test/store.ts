/** For tests that need one store on disk each. */

import { afterEach, beforeEach } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../executable.ts'
import { openTestStore, type TestStore } from '../harness.ts'

/** Opens a store before each test of the file; closes and deletes it after the test. */
export function storePerTest() {
  let folder: ReturnType<typeof emptyFolder>
  let store: TestStore

  const databasePath = () => join(folder.path, 'production.db')
  async function open(): Promise<void> {
    store = await openTestStore({ databasePath: databasePath() })
  }

  beforeEach(async () => {
    folder = emptyFolder()
    await open()
  })
  afterEach(async () => {
    await store.close()
    folder.remove()
  })
  return {
    get store(): TestStore {
      return store
    },
    /** The data directory. */
    get folder(): string {
      return folder.path
    },
    get databasePath(): string {
      return databasePath()
    },
    /** Closes the store and opens it again, as a restart does. */
    async restart(): Promise<void> {
      await store.close()
      await open()
    },
  }
}
