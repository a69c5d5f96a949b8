/** Compares the files of websites and certificates with the database, which names them. Their contents are not read. */

import type { Database } from 'bun:sqlite'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { certificatesDirectory } from '../../hosting/certificates/files/key-files.ts'
import { layoutOf } from '../../lib/contents/layout.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { bad, type Check, good } from './check.ts'

/** The files that the live and older deploys of each project need; a missing compressed form is made again. */
const contents = `
  SELECT lower(hex(hash)) AS hash, size, min(projects.slug) AS slug
  FROM deploy_files JOIN deploys ON deploys.id = deploy_id JOIN projects ON projects.id = project_id
  WHERE state = 'ready' GROUP BY hash`

const certificates = 'SELECT file, hostname FROM certificates WHERE file IS NOT NULL AND removed_at IS NULL'

/** The most names that the line has. */
const mostNames = 3

export function filesCheck(database: Database, databasePath: string): Check {
  const { pathOf } = layoutOf(filesDirectory(databasePath))
  const directory = certificatesDirectory(databasePath)
  const sites = new Set<string>()
  const hosts = new Set<string>()
  let files = 0
  let faulty = 0
  for (const { hash, size, slug } of database
    .query<{ hash: string; size: number; slug: string }, []>(contents)
    .iterate()) {
    files++
    if (sizeOf(pathOf(hash)) === size) continue
    faulty++
    sites.add(slug)
  }
  for (const { file, hostname } of database.query<{ file: string; hostname: string }, []>(certificates).iterate()) {
    for (const ending of ['key', 'pem']) {
      files++
      if ((sizeOf(join(directory, `${file}.${ending}`)) ?? 0) > 0) continue
      faulty++
      hosts.add(hostname)
    }
  }
  if (faulty === 0)
    return good(
      'files',
      files === 0
        ? 'There are no files of websites.'
        : `All ${files.toLocaleString('en')} files of websites and certificates are there.`,
    )
  const message = `${faulty.toLocaleString('en')} of ${files.toLocaleString('en')} files of websites and certificates are missing or have another size: ${some([...sites, ...hosts])}.`
  const fix = [
    ...(sites.size > 0
      ? ['Deploy these websites again (petstore deploy DIR --project SLUG), or restore a backup.']
      : []),
    ...(hosts.size > 0 ? ['Certificates are ordered again after the next start.'] : []),
  ]
  return bad('files', message, fix.join(' '))
}

function some(names: readonly string[]): string {
  const more = names.length - mostNames
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ')
}

/** The size of a regular file; undefined if there is none, or if it cannot be examined. */
function sizeOf(path: string): number | undefined {
  try {
    const found = lstatSync(path)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined
  }
}
