/** Messages for the error codes of the operating system and of SQLite, so that nobody has to look up `EEXIST`. */

import { messageOf } from './error.ts'

/** Whether an error has a code of the operating system or of SQLite. */
export function isSystemError(error: unknown): boolean {
  return /^(E[A-Z0-9]+|SQLITE_\w+)$/.test(codeOf(error)) && !codeOf(error).startsWith('ERR_')
}

/** The reason as text that follows a colon, without a full stop: `the disk is full`. */
export function systemReason(error: unknown): string {
  return knownReason(error) ?? messageOf(error).replace(/\.$/, '')
}

/** Like `systemReason`, for a code that has a text here; undefined for any other. */
export function knownReason(error: unknown): string | undefined {
  const code = codeOf(error)
  return reasons.get(code) ?? reasons.get(code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1'))
}

/** Such as `ENOSPC` or `SQLITE_IOERR_FSYNC`; empty if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

const texts: Readonly<Record<string, string>> = {
  'ENOSPC SQLITE_FULL': 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EISDIR: 'it is a directory, not a file',
  EEXIST: 'there is a file of that name already',
  ENOTEMPTY: 'the directory is not empty',
  EINVAL: 'the system does not accept that value',
  'EACCES EPERM SQLITE_PERM SQLITE_AUTH': 'its permissions forbid it',
  'EROFS SQLITE_READONLY': 'it is on a disk or in a directory that is read-only',
  'EIO SQLITE_IOERR': 'the disk reports an error',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links lead in a circle',
  'EMFILE ENFILE': 'too many files are open',
  EBUSY: 'another process is using it',
  ETXTBSY: 'it is being executed',
  EFBIG: 'the file would be too large',
  ENOMEM: 'there is not enough memory',
  EPIPE: 'its reader has exited',
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
  ECONNREFUSED: 'nothing listens there',
  ETIMEDOUT: 'there was no response in time',
  EPROTO: 'it does not use TLS',
  SQLITE_CANTOPEN: 'its directory is missing or not writable, or too many file descriptors are open',
  SQLITE_NOTADB: 'it is not a pet store database',
  SQLITE_CORRUPT: 'the database is damaged',
  'SQLITE_BUSY SQLITE_LOCKED': 'another process keeps the database locked',
}
const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries(texts).flatMap(([codes, reason]) => codes.split(' ').map((code) => [code, reason] as const)),
)
