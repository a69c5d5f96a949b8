/**
 * Creates and verifies backups in another process, because both read the whole database: `petstore backup create` and
 * `backup verify`, run by the server itself.
 */

import { basename, dirname } from 'node:path'
import { AppError } from '../../../lib/error.ts'
import { printable } from '../../../lib/log.ts'
import { systemReason } from '../../../lib/system-error.ts'
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

/** What a command printed; or the error message of petstore, if there is one, and the reason as text that follows a colon. */
type Outcome =
  | { readonly out: string; readonly message?: undefined; readonly reason?: undefined }
  | { readonly out?: undefined; readonly message?: string | undefined; readonly reason: string }

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

  async function run(...args: string[]): Promise<Outcome> {
    if (self === undefined || databasePath === ':memory:') {
      throw new AppError('conflict', 'This store is in memory: it has no backups.')
    }
    // One at a time: each reads the whole database.
    if (running.size > 0) {
      throw new AppError('conflict', 'A backup is being created or verified: try again when that has finished.')
    }
    const place = ['--data', dirname(databasePath), '--environment', environment, '--json']
    const child = start([...self, 'backup', ...args, ...place])
    if ('reason' in child) return child
    running.add(child)
    try {
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ])
      if (code === 0 && out !== '') return { out }
      const message = code === 1 ? /^petstore: (.*)$/m.exec(err)?.[1] : undefined
      return { message, reason: reasonOf(message ?? lastLine(err), child.signalCode) }
    } finally {
      running.delete(child)
    }
  }

  return {
    async create() {
      const { out, message, reason } = await run('create')
      if (out !== undefined) return basename((JSON.parse(out) as { file: string }).file)
      throw unavailable(message ?? `No backup was made: ${reason}.`)
    },
    async verify(file) {
      const { out, message, reason } = await run('verify', file)
      if (out !== undefined) return JSON.parse(out) as Verified
      // Other errors say nothing about the file, and must not be kept as a result.
      if (message?.startsWith(`${printable(file)} can't be used: `)) {
        return { fault: message.slice(0, longestMessage) }
      }
      throw unavailable(`The backup was not verified: ${reason}.`)
    },
    async stop() {
      for (const child of running) child.kill()
      await Promise.allSettled([...running].map((child) => child.exited))
    },
  }
}

function start(command: readonly string[]) {
  try {
    return Bun.spawn([...command], {
      // The directory in which the server was started may be gone.
      cwd: '/',
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: longestMs,
    })
  } catch (error) {
    return { reason: `${command[0]} can't be started: ${systemReason(error)}` }
  }
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

function reasonOf(message: string | undefined, signal: Bun.Subprocess['signalCode']): string {
  if (message) return message.replaceAll(/^It failed: |\.$/g, '')
  return signal === null ? 'the process printed nothing' : `the process was ended by ${signal}`
}

function unavailable(message: string): AppError {
  return new AppError('storage_unavailable', message.slice(0, longestMessage), { retryAfterSeconds: 10 })
}
