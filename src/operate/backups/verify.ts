/** Checks whether a file is a backup that can be restored, from the kind of file down to the rows. */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import type { Layout } from '../../lib/contents/layout.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { systemReason } from '../../lib/system-error.ts'
import { countDamaged } from './attached.ts'
import { contentsBeside, isAlone } from './contents.ts'
import { withFile } from './files.ts'
import { type Content, inspect, unusableFile } from './inspect.ts'
import { readSeal } from './seal.ts'

export interface Verified extends Content {
  /** RFC 3339; null for a copy that another program has made. */
  readonly createdAt: string | null
  /** The number of files of sites, certificates and keys that are missing or damaged. */
  readonly damagedFiles: number
}

/** Throws `not_found` if there is no such file and `invalid_body`, with the reason, if it can't be restored. */
export function verifyBackup(file: string, environment: Environment): Verified {
  assertFinished(file)
  return verifyCopy(file, environment, file, [contentsBeside(file)])
}

/** Throws `not_found` or `invalid_body` unless `file` is a file that no process is writing. */
export function assertFinished(file: string): void {
  try {
    if (!statSync(file).isFile())
      throw unusableFile(file, statSync(file).isDirectory() ? 'it is a directory' : 'it is not a file')
    closeSync(openSync(file, 'r'))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('not_found', `${file} can't be used: ${systemReason(cause)}.`, { cause })
  }
  const beside = ['-wal', '-journal'].map((ending) => file + ending).find((path) => existsSync(path))
  if (beside === undefined) return
  throw unusableFile(
    file,
    `it is in use or was not closed: ${beside} exists. Use a backup that petstore backup create made`,
  )
}

/** A database has whole pages, whose sizes are multiples of it: one that was cut within its seal has not. */
const smallestPage = 512

/** https://sqlite.org/fileformat2.html#the_database_header */
function isDatabase(path: string): boolean {
  const start = Buffer.alloc(16)
  withFile(path, (file) => readSync(file, start, 0, start.length, 0))
  return start.toString('latin1') === 'SQLite format 3\0'
}

/**
 * Like `verifyBackup`, for a copy at `path`; `name` is its name in error messages, and `contents` are the directories
 * in which shared contents are searched for.
 */
export function verifyCopy(
  path: string,
  environment: Environment,
  name: string,
  contents: readonly Layout[],
): Verified {
  const { size } = statSync(path)
  if (size === 0) throw unusableFile(name, 'it is empty')
  const seal = readSeal(path)
  if (seal?.isIntact === false) throw unusableFile(name, 'it is damaged: its content does not match its checksum')
  if (!seal && size % smallestPage !== 0 && isDatabase(path))
    throw unusableFile(name, 'it is damaged: its end is missing')
  const content = inspect(path, environment, name)
  // The copy of a database has no files: they stay where they are.
  if (!seal) return { ...content, createdAt: null, damagedFiles: 0 }
  if (isAlone(path, contents)) {
    throw unusableFile(name, `the files of its sites are missing: copy the directory ${contents[0]?.directory}, too`)
  }
  return { ...content, createdAt: seal.createdAt, damagedFiles: countDamaged(path, contents) }
}
