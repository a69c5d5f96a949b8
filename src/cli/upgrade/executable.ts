/** The executable of another petstore: its version, and whether it fits a store. */

import { Database } from 'bun:sqlite'
import { versionOf } from '../../database/migrate.ts'
import { AppError } from '../../lib/error.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'

/** What `petstore version --json` prints. */
export interface PetstoreVersion {
  readonly version: string
  readonly commit: string | null
  readonly databaseVersion: number
}

/** The variables of a petstore that is only tried: no `PETSTORE_…` reaches it. */
export const plainVariables = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** How long an executable may take to print its version, in milliseconds: a slow disk has to read all of it. */
const versionTimeoutMs = 60_000

/** Throws `invalid_body` unless the file at an absolute path is an executable of petstore that runs on this machine. */
export async function askVersion(file: string): Promise<PetstoreVersion> {
  const unfit = (reason: string, cause?: unknown) =>
    new AppError('invalid_body', `${file} can't be used: ${reason}. Nothing was changed.`, { cause })
  try {
    const child = Bun.spawn([file, 'version', '--json'], {
      cwd: '/',
      env: plainVariables,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: versionTimeoutMs,
    })
    const [out, code] = [await new Response(child.stdout).text(), await child.exited]
    const found: unknown = code === 0 ? JSON.parse(out) : undefined
    if (!isVersion(found)) throw unfit('it is not a petstore that this one can be upgraded to')
    return found
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const code = codeOf(cause)
    if (code === 'EACCES') throw unfit(`it may not be executed: chmod +x ${file}`, cause)
    if (code === 'ENOENT') throw unfit('there is no such file', cause)
    throw unfit(code === 'ENOEXEC' ? 'it is not an executable for this machine' : 'it is not a petstore', cause)
  }
}

function isVersion(value: unknown): value is PetstoreVersion {
  const { version, databaseVersion } = (value ?? {}) as Partial<PetstoreVersion>
  return typeof version === 'string' && typeof databaseVersion === 'number'
}

/** Such as `petstore 1.1.0 (commit 0123456789ab)`. */
export function nameOf({ version, commit }: PetstoreVersion): string {
  return `petstore ${version}${commit === null ? '' : ` (commit ${commit})`}`
}

/** The version of the schema of the database at a path. Throws `storage_unavailable` if it can't be read. */
export function schemaOf(databasePath: string): number {
  const database = new Database(databasePath, { create: false, readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    return versionOf(database)
  } catch (cause) {
    throw new AppError('storage_unavailable', `${databasePath} can't be read: ${systemReason(cause)}.`, { cause })
  } finally {
    database.close(true)
  }
}
