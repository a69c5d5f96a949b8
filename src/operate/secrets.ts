/**
 * The file of the secrets that the owner has entered, such as the password of the mail server:
 * `<environment>-secrets.json` beside the database. Only its owner can read it, and no backup contains it. A store in
 * memory keeps them in memory.
 */

import { readFileSync } from 'node:fs'
import { AppError } from '../lib/error.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { codeOf, isSystemError, systemReason } from '../lib/system-error.ts'

/** Every secret by its name. */
export type Secrets = Readonly<Record<string, string>>

export interface SecretsFile {
  /** Throws `storage_unavailable` if the file cannot be read. */
  read(): Secrets
  /**
   * Replaces all secrets; they are on disk when it returns. Throws `storage_unavailable`, and nothing is changed then.
   */
  write(secrets: Secrets): void
}

/** The path of the file for a database. */
export const secretsFile = (databasePath: string): string => `${databasePath.replace(/\.db$/, '')}-secrets.json`

export function openSecrets(databasePath: string): SecretsFile {
  if (databasePath === ':memory:') {
    let kept: Secrets = {}
    return {
      read: () => kept,
      write(secrets) {
        kept = secrets
      },
    }
  }
  const path = secretsFile(databasePath)

  return {
    read() {
      try {
        const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
        if (typeof found !== 'object' || found === null || Array.isArray(found)) throw new SyntaxError('no object')
        return found as Secrets
      } catch (cause) {
        if (codeOf(cause) === 'ENOENT') return {}
        const reason = isSystemError(cause)
          ? systemReason(cause)
          : 'it is not JSON. Delete the file, then enter the passwords again'
        throw new AppError('storage_unavailable', `The secrets in ${path} cannot be read: ${reason}.`, { cause })
      }
    },
    write(secrets) {
      try {
        replaceFile(path, `${JSON.stringify(secrets, null, 2)}\n`)
      } catch (cause) {
        if (!isSystemError(cause)) throw cause
        const message = `The secrets cannot be stored in ${path}: ${systemReason(cause)}. Nothing was changed.`
        throw new AppError('storage_unavailable', message, { cause })
      }
    },
  }
}
