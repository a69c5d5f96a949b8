/** Where a store keeps the keys and certificates. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The directory beside a database file: `production-certificates` beside `production.db`. */
export function certificatesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-certificates`
}

/** The directory for a database; for `:memory:` a temporary one, which `close` deletes. */
export function openCertificatesDirectory(databasePath: string): { readonly path: string; close(): void } {
  if (databasePath !== ':memory:') return { path: certificatesDirectory(databasePath), close: () => {} }
  const path = mkdtempSync(join(tmpdir(), 'petstore-certificates-'))
  return { path, close: () => rmSync(path, { recursive: true, force: true }) }
}
