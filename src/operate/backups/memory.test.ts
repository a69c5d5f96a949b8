import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../database/open.ts'
import { emptyFolder } from '../../testing/executable.ts'

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

/**
 * The most memory of a process that makes a backup, in bytes. The process reads it itself: what the system reports to
 * the one that started it is at least the memory of that one.
 */
function memoryOfBackup(databasePath: string): number {
  const program = `
    import { readFileSync } from 'node:fs'
    import { createBackup } from ${JSON.stringify(join(import.meta.dir, 'create.ts'))}
    createBackup({ databasePath: ${JSON.stringify(databasePath)}, environment: 'production' }, Date.now)
    console.log(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1])`
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program])
  expect(stderr.toString()).toBe('')
  return Number(stdout.toString()) * 1_024
}

test.skipIf(process.platform !== 'linux')('a backup needs no more memory for more deploys of the same files', () => {
  const folder = emptyFolder()
  const databasePath = join(folder.path, 'production.db')
  addDeploys(databasePath, 1)
  const bytes = memoryOfBackup(databasePath)
  addDeploys(databasePath, 19)
  expect(memoryOfBackup(databasePath) - bytes).toBeLessThan(40_000_000)
  folder.remove()
})
