/**
 * The names of objects in a bucket. A backup `production-scheduled-….db` is one object of that name, its contents are
 * objects by their hashes, and `production-scheduled-….json` lists both: it is written last, and a backup is complete
 * if it has its list.
 */

import type { Environment } from '../../../lib/environment.ts'
import { type BackupName, backupName, readBackupName } from '../rules.ts'

/** Ends the names of encrypted objects. */
const encryptedEnding = '.age'

/** What the list of a backup has, as JSON. */
export interface CopyList {
  readonly version: 1
  /** The id of the store; lists of before 28 November 2026 have none. */
  readonly storeId?: string
  /** The name of the object of the backup. */
  readonly file: string
  /** The size and the hash of that object. */
  readonly bytes: number
  readonly sha256: string
  /** Empty if nothing is encrypted. */
  readonly recipients: readonly string[]
  /** Begins the names of the contents, which go on with the hash. */
  readonly contentsAt: string
  /** Each with its size before encryption. */
  readonly contents: readonly (readonly [hash: string, bytes: number])[]
}

/** All objects of an environment begin with it. */
export const startOf = (environment: Environment) => `${environment}-`

export const listNameOf = (name: BackupName) => backupName(name).replace(/\.db$/, '.json')

export function objectNameOf(name: BackupName, recipients: readonly string[]): string {
  return backupName(name) + (recipients.length > 0 ? encryptedEnding : '')
}

/** The backup to which an object belongs: its file or its list; undefined for other objects. */
export function backupOfObject(object: string): BackupName | undefined {
  return readBackupName(object.replace(/\.json$/, '.db').replace(/\.age$/, ''))
}

/**
 * Where the contents of backups for these recipients are. A content that is encrypted for others is another object: it
 * could not be read with the identities of these.
 */
export function contentsAt(environment: Environment, recipients: readonly string[]): string {
  const start = `${environment}-contents/`
  if (recipients.length === 0) return start
  const hash = new Bun.CryptoHasher('sha256').update(recipients.toSorted().join('\n')).digest('hex')
  return `${start}${hash.slice(0, 16)}/`
}

export function contentName(
  { contentsAt: start, recipients }: Pick<CopyList, 'contentsAt' | 'recipients'>,
  hash: string,
): string {
  return start + hash + (recipients.length > 0 ? encryptedEnding : '')
}

/** The list that a text is; undefined if it is none. It may be somebody else's. */
export function parseList(text: string): CopyList | undefined {
  try {
    const found = JSON.parse(text) as Partial<CopyList>
    const isText = (value: unknown): value is string => typeof value === 'string' && value.length < 1_000
    const { storeId = '', file, bytes, sha256, recipients, contentsAt, contents } = found
    const isWhole =
      found.version === 1 &&
      isText(storeId) &&
      isText(file) &&
      backupOfObject(file) !== undefined &&
      Number.isSafeInteger(bytes) &&
      /^[0-9a-f]{64}$/.test(String(sha256)) &&
      Array.isArray(recipients) &&
      recipients.every(isText) &&
      isText(contentsAt) &&
      Array.isArray(contents) &&
      contents.every(
        (content) =>
          Array.isArray(content) && /^[0-9a-f]{64}$/.test(String(content[0])) && Number.isSafeInteger(content[1]),
      )
    return isWhole ? (found as CopyList) : undefined
  } catch {
    return undefined
  }
}
