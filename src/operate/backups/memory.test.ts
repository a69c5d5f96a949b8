import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder, executable, isBuilt } from '../../testing/executable.ts'

/** Adds deploys of the same 20,000 files. */
function addDeploys(databasePath: string, count: number): void {
  const { connection, close } = openDatabase(databasePath, 0)
  const numbers = (last: number) =>
    `(WITH RECURSIVE numbers (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last}) SELECT i FROM numbers)`
  connection.run(`INSERT INTO deploys (project_id, account_id, state, created_at, created_by, file_count, bytes)
    SELECT 1, 1, 'ready', 0, 'key:1', 20000, 20000 FROM ${numbers(count)}`)
  connection.run(`INSERT INTO deploy_files (deploy_id, path, hash, size, modified_at)
    SELECT deploys.id, i, unhex(printf('%064d', i)), 1, 0 FROM deploys, ${numbers(20_000)}
    WHERE NOT EXISTS (SELECT 1 FROM deploy_files WHERE deploy_id = deploys.id)`)
  close()
}

test.skipIf(!isBuilt)('a backup needs no more memory for more deploys of the same files', () => {
  const folder = emptyFolder()
  const databasePath = join(folder.path, 'production.db')
  /** The least memory of three backups: when the garbage collector runs only adds to it. */
  const needed = () => {
    const runs = [1, 2, 3].map(() => Bun.spawnSync([executable, 'backup', 'create', '--data', folder.path]))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    return Math.min(...runs.map(({ resourceUsage }) => resourceUsage.maxRSS))
  }
  addDeploys(databasePath, 1)
  const bytes = needed()
  addDeploys(databasePath, 19)
  expect(needed() - bytes).toBeLessThan(40_000_000)
  folder.remove()
})
