/**
 * Creates and verifies backups in another process, because both read the whole database: `petstore backup create` and
 * `backup verify`, run by the server itself.
 */

import { basename, dirname } from 'node:path'
import { AppError } from '../../lib/error.ts'
import type { StorePlace } from '../folder.ts'
import type { Verified } from '../verify.ts'

export interface BackupCommands {
  /** Creates a backup and returns the name of its file. Throws `storage_unavailable` with the reason if that fails. */
  create(): Promise<string>
  /** Returns the content of the backup at the absolute path `file`, or the reason why it can't be restored. */
  verify(file: string): Promise<Verified | { readonly fault: string }>
  /** Ends the commands that are running. */
  stop(): Promise<void>
}

/** The longest time that a command may take, in milliseconds. */
const longestMs = 1_800_000

/** The most characters of a message that are passed on. */
const longestMessage = 1_000

/** `self` is the command line that runs petstore; undefined if the process is another program, such as a test. */
export function createBackupCommands(
  { databasePath, environment }: StorePlace,
  self: readonly string[] | undefined,
): BackupCommands {
  const running = new Set<Bun.Subprocess>()

  async function run(...args: string[]) {
    if (self === undefined || databasePath === ':memory:') {
      throw new AppError('conflict', 'This store is in memory: it has no backups.')
    }
    // One at a time: each reads the whole database.
    if (running.size > 0) {
      throw new AppError('conflict', 'A backup is being created or verified: try again when that has finished.')
    }
    const place = ['--data', dirname(databasePath), '--environment', environment, '--json']
    const child = Bun.spawn([...self, 'backup', ...args, ...place], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: longestMs,
    })
    running.add(child)
    try {
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      const message = (/^petstore: (.*)$/m.exec(err)?.[1] ?? '').slice(0, longestMessage)
      return { out, message: message || 'The command was ended.', isDone: code === 0 }
    } finally {
      running.delete(child)
    }
  }

  return {
    async create() {
      const { out, message, isDone } = await run('create')
      if (isDone) return basename((JSON.parse(out) as { file: string }).file)
      throw new AppError('storage_unavailable', message, { retryAfterSeconds: 10 })
    },
    async verify(file) {
      const { out, message, isDone } = await run('verify', file)
      return isDone ? (JSON.parse(out) as Verified) : { fault: message }
    },
    async stop() {
      for (const child of running) child.kill()
      await Promise.allSettled([...running].map((child) => child.exited))
    },
  }
}
