/** The directories beside the database in which hosting keeps files. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificatesDirectory } from './certificates/files/key-files.ts'

export interface HostingDirectories {
  /** Keys and certificates. */
  readonly certificates: string
  /** The sockets of inner servers, while the service runs. */
  readonly sockets: string
  /** Deletes what is not kept beyond the process. */
  remove(): void
}

/** Those of a database in memory are temporary. */
export function createHostingDirectories(databasePath: string): HostingDirectories {
  if (databasePath !== ':memory:') {
    const sockets = `${databasePath.replace(/\.db$/, '')}-sockets`
    return { certificates: certificatesDirectory(databasePath), sockets, remove() {} }
  }
  const root = mkdtempSync(join(tmpdir(), 'petstore-hosting-'))
  return {
    certificates: join(root, 'certificates'),
    sockets: join(root, 'sockets'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
