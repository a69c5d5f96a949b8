/**
 * Examines the database of a store and the files that it names. It reads whole tables, so a server runs it in
 * a separate process. It changes nothing: the connection can only read.
 */

import type { Database } from 'bun:sqlite'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf } from '../../database/environment.ts'
import { faultOf, faultTexts } from '../../database/faults/fault.ts'
import { isUnreleased, unreleasedAdvice } from '../../database/migrate.ts'
import { openForReading } from '../../database/open.ts'
import { certificatesDirectory } from '../../hosting/certificates/files/key-files.ts'
import { layoutOf } from '../../lib/contents/layout.ts'
import { filesDirectory } from '../../lib/contents/place.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import type { StorePlace } from '../backups/folder.ts'
import { ownSchema, schemaOf } from '../backups/inspect.ts'
import { findLoss } from '../backups/lost.ts'
import { bad, type Check, good, notExamined, notKnown } from './check.ts'

const restore = 'Stop petstore and restore a backup: petstore backup restore FILE.'
const foreignWrites =
  'Only petstore may write into the database. Restore a backup from before that (petstore backup restore FILE), or export the animals (petstore pets export) and import them into a new store.'

/** The task of the separate process. */
export const doctorTasks = { 'examine-store': (place: StorePlace) => examineStore(place) } as const

/** The lines of an examination, in their order. */
const names = ['database', 'schema', 'foreign_keys', 'totals', 'files'] as const
type Name = (typeof names)[number]

/** Returns a line for each check, including those that were not possible. */
export function examineStore(place: StorePlace): Check[] {
  const loss = findLoss(place)
  if (loss) return [bad('database', loss.message, loss.advice), ...unexamined(names.slice(1))]
  let database: Database | undefined
  try {
    database = openForReading(place.databasePath)
    return examine(database, place)
  } catch (error) {
    return [failure('database', error), ...unexamined(names.slice(1))]
  } finally {
    database?.close()
  }
}

function examine(database: Database, place: StorePlace): Check[] {
  const look = (name: Name, check: () => Check): Check => {
    try {
      return check()
    } catch (error) {
      return failure(name, error)
    }
  }
  const whole = look('database', () => databaseCheck(database, place))
  if (whole.ok !== true) return [whole, ...unexamined(names.slice(1))]
  const schema = look('schema', () => schemaCheck(database))
  if (schema.ok !== true) return [whole, schema, ...unexamined(names.slice(2))]
  return [
    whole,
    schema,
    look('foreign_keys', () => foreignKeysCheck(database)),
    look('totals', () => totalsCheck(database)),
    look('files', () => filesCheck(database, place.databasePath)),
  ]
}

const unexamined = (left: readonly Name[]) => left.map(notExamined)

/** The line for an error of SQLite or of the system; throws any other. */
function failure(name: Name, error: unknown): Check {
  if (codeOf(error) === '') throw error
  const fault = faultOf(error)
  if (fault === undefined || codeOf(error) === 'SQLITE_NOTADB') {
    return bad(name, `The database cannot be read: ${systemReason(error)}.`, restore)
  }
  return bad(name, faultTexts[fault].message, faultTexts[fault].advice)
}

/** Checks that the file is an undamaged database of this environment. */
function databaseCheck(database: Database, { databasePath, environment }: StorePlace): Check {
  const found = environmentOf(database)
  if (found === 'foreign') {
    return bad(
      'database',
      `${databasePath} is the database of another program.`,
      'Move it away, or use another --data.',
    )
  }
  if (found !== 'unmarked' && found !== environment) {
    return bad('database', `${databasePath} belongs to ${found}, not to ${environment}.`, `Rename it to ${found}.db.`)
  }
  const [{ quick_check: fault = 'ok' } = {}] = database
    .query<{ quick_check: string }, []>('PRAGMA quick_check(1)')
    .all()
  if (fault !== 'ok') return bad('database', `The database is damaged: ${fault.replaceAll(/\s+/g, ' ')}.`, restore)
  return good('database', `${databasePath} is undamaged.`)
}

/** The tables in which Litestream, which replicates the database, keeps its positions. */
const ofLitestream = ['_litestream_seq', '_litestream_lock']

/** Checks that the database has the schema of this petstore, without changes and additions. */
function schemaCheck(database: Database): Check {
  const own = ownSchema()
  const { version, objects } = schemaOf(database)
  if (isUnreleased(version)) {
    const message = `The database has version ${version}, from before the first release of petstore.`
    return bad('schema', message, `${unreleasedAdvice}.`)
  }
  if (version > own.version) {
    const message = `The database has version ${version}, and this petstore supports version ${own.version}.`
    return bad('schema', message, 'Run the newer petstore.')
  }
  if (version < own.version) {
    return notKnown(
      'schema',
      `The database has version ${version}: the next start of petstore migrates it to ${own.version}.`,
    )
  }
  const known = new Map(own.objects.map((object) => [object.name, object.sql]))
  const missing = own.objects.find(({ name }) => !objects.some((object) => object.name === name))
  const changed = objects.find(({ name, sql }) => known.has(name) && known.get(name) !== sql)
  const added = objects.find(({ name }) => !known.has(name) && !ofLitestream.includes(name))
  if (missing) return bad('schema', `The ${missing.type} ${missing.name} is missing.`, foreignWrites)
  if (changed) return bad('schema', `Another program has changed the ${changed.type} ${changed.name}.`, foreignWrites)
  if (added) {
    const message = `The ${added.type} ${added.name} is not petstore's: another program has added it.`
    return bad('schema', message, 'Remove it with that program, and keep its data in another file.')
  }
  const isCopied = objects.some(({ name }) => ofLitestream.includes(name))
  return good('schema', `The database has version ${version}${isCopied ? ', and the tables of Litestream' : ''}.`)
}

function foreignKeysCheck(database: Database): Check {
  const orphans = database.query<{ table: string }, []>('PRAGMA foreign_key_check').all()
  const [first] = orphans
  if (first === undefined) return good('foreign_keys', 'Every reference between records leads to a record.')
  const records = orphans.length === 1 ? '1 record refers' : `${orphans.length.toLocaleString('en')} records refer`
  const message = `${records} to a missing one, the first in ${first.table}.`
  return bad('foreign_keys', message, foreignWrites)
}

function totalsCheck(database: Database): Check {
  const wrong = totals.flatMap(({ fault, sql }) => {
    // A single statement reads records and totals that belong together.
    const found = database.query(`SELECT part FROM (${sql}) GROUP BY part HAVING sum(number) <> 0 LIMIT 1`).get()
    return found ? [fault] : []
  })
  if (wrong.length === 0) return good('totals', 'The counts of animals, orders and files are right.')
  return bad('totals', `Another program has written into the database: ${wrong.join(', ')}.`, foreignWrites)
}

interface Total {
  /** What is wrong, as part of a sentence. */
  readonly fault: string
  /**
   * Rows with a group and a number: the counted one is positive, the stored one negative. The sum of a group must be 0.
   */
  readonly sql: string
}

const day = 86_400_000

const totals: readonly Total[] = [
  {
    fault: 'the counts of animals are wrong',
    sql: `SELECT category_id || status AS part, count(*) AS number FROM pets GROUP BY category_id, status
      UNION ALL SELECT '0' || status, count(*) FROM pets GROUP BY status
      UNION ALL SELECT category_id || status, -animals FROM pet_totals`,
  },
  {
    fault: 'the counts of orders are wrong',
    sql: `SELECT account_id || status AS part, count(*) AS number FROM orders GROUP BY account_id, status
      UNION ALL SELECT '-1' || status, count(*) FROM orders GROUP BY status
      UNION ALL SELECT account_id || status, -orders FROM order_totals`,
  },
  {
    fault: 'the counts of orders by day are wrong',
    sql: `SELECT 'placed ' || (created_at / ${day}) AS part, count(*) AS number FROM orders GROUP BY 1
      UNION ALL SELECT 'delivered ' || (delivered_at / ${day}), count(*) FROM orders WHERE status = 'delivered' GROUP BY 1
      UNION ALL SELECT 'placed ' || day, -placed FROM order_days
      UNION ALL SELECT 'delivered ' || day, -delivered FROM order_days`,
  },
  {
    fault: 'the counts of uses of website files are wrong',
    sql: `SELECT account_id || hex(hash) AS part, count(*) AS number
        FROM deploy_files JOIN deploys ON deploys.id = deploy_id GROUP BY account_id, hash
      UNION ALL SELECT account_id || hex(hash), -uses FROM account_contents`,
  },
  {
    fault: 'the sizes of websites by account are wrong',
    sql: `SELECT account_id AS part, sum(size) AS number FROM account_contents GROUP BY account_id
      UNION ALL SELECT account_id, -bytes FROM account_storage`,
  },
]

/**
 * The files that the live and older deploys of each project need. Compressed forms are not checked: they are made
 * again.
 */
const contents = `
  SELECT lower(hex(hash)) AS hash, size, min(projects.slug) AS slug
  FROM deploy_files JOIN deploys ON deploys.id = deploy_id JOIN projects ON projects.id = project_id
  WHERE state = 'ready' GROUP BY hash`

const photos =
  'SELECT lower(hex(hash)) AS hash, bytes AS size, min(pet_id) AS petId FROM photo_files JOIN pet_photos ON pet_photos.id = photo_id GROUP BY hash'

const certificates = 'SELECT file, hostname FROM certificates WHERE file IS NOT NULL AND removed_at IS NULL'

/** The most names that the line shows. */
const mostNames = 3

/** Compares the files of websites, photos and certificates with the database, which names them. Their contents are not read. */
function filesCheck(database: Database, databasePath: string): Check {
  const { pathOf } = layoutOf(filesDirectory(databasePath))
  const directory = certificatesDirectory(databasePath)
  const sites = new Set<string>()
  const hosts = new Set<string>()
  const pets = new Set<string>()
  let files = 0
  let faulty = 0
  function count(isRight: boolean, names: Set<string>, name: string): void {
    files++
    if (isRight) return
    faulty++
    names.add(name)
  }
  type Content = { hash: string; size: number }
  for (const { hash, size, slug } of database.query<Content & { slug: string }, []>(contents).iterate()) {
    count(sizeOf(pathOf(hash)) === size, sites, slug)
  }
  for (const { hash, size, petId } of database.query<Content & { petId: number }, []>(photos).iterate()) {
    count(sizeOf(pathOf(hash)) === size, pets, petId > 0 ? `animal ${petId}` : 'the web shop')
  }
  for (const { file, hostname } of database.query<{ file: string; hostname: string }, []>(certificates).iterate()) {
    for (const ending of ['key', 'pem']) {
      count((sizeOf(join(directory, `${file}.${ending}`)) ?? 0) > 0, hosts, hostname)
    }
  }
  if (files === 0) return good('files', 'There are no files of websites and photos.')
  if (faulty === 0) {
    return good('files', `All ${files.toLocaleString('en')} files of websites, photos and certificates are there.`)
  }
  const message = `${faulty.toLocaleString('en')} of ${files.toLocaleString('en')} files of websites, photos and certificates are missing or have another size: ${some([...sites, ...hosts, ...pets])}.`
  const fix = [
    ...(sites.size > 0
      ? ['Deploy these websites again (petstore deploy DIR --project SLUG), or restore a backup.']
      : []),
    ...(pets.size > 0 ? ['Add these photos again, or restore a backup.'] : []),
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
