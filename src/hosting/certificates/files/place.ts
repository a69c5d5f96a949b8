/** Where a store keeps the keys and certificates. */

/** The directory beside a database file: `production-certificates` beside `production.db`. */
export function certificatesDirectory(databasePath: string): string {
  return `${databasePath.replace(/\.db$/, '')}-certificates`
}
