/**
 * Recognises the files of a store, so that no deploy publishes them: they have the private keys of certificates, the hashes
 * of API keys, and the customers.
 */

import { closeSync, constants, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { databaseHeaderBytes, isDatabaseHeader, isStoreHeader } from '../../../database/environment.ts'
import { environments } from '../../../lib/environment.ts'
import type { ArchiveEntry } from './entry.ts'
import { entryError } from './names.ts'

const databaseNames = environments.map((environment) => `${environment}.db`)
const named = `(^|/)(${environments.join('|')})`
const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** Paths of a store's files, with the fault of each in the form of `entryError`. */
const faults: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${named}\\.db-[a-z]+$`, 'i'), 'belongs to the database of a store; leave it out'],
  [new RegExp(`(^|/)${uuid}\\.key$`, 'i'), 'is the private key of a certificate; leave it out'],
  [new RegExp(`${named}-certificates/${uuid}\\.`, 'i'), 'belongs to the certificates of a store; leave it out'],
  [
    new RegExp(`${named}-files/(incoming/|[0-9a-f]{2}/[0-9a-f]{62}$)`, 'i'),
    'belongs to the files of a store; leave it out',
  ],
]
const databaseFault = 'is the database of a store, or a backup of one; leave it out'

/** The smallest database has one page of 512 bytes. */
const minimumDatabaseBytes = 512

/** Throws `invalid_body` for a path that only files of a store have. */
export function assertNoStorePath(path: string): void {
  for (const [pattern, fault] of faults) if (pattern.test(path)) throw entryError(path, fault)
}

/** The content of an entry. Reading it throws `invalid_body` if it is the database of a store, whatever its name. */
export function chunksWithoutStore(entry: ArchiveEntry): AsyncIterable<Uint8Array> {
  return entry.size < minimumDatabaseBytes ? entry.chunks() : checkedChunks(entry)
}

async function* checkedChunks({ name, chunks }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks()) {
    if (start) {
      start = Buffer.concat([start, chunk.subarray(0, databaseHeaderBytes)])
      if (isStoreHeader(start)) throw entryError(name, databaseFault)
      if (databaseNames.includes(lastPart(name)) && isDatabaseHeader(start)) throw entryError(name, databaseFault)
      if (start.length >= databaseHeaderBytes) start = undefined
    }
    yield chunk
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).toLowerCase()
}

/** The nearest directory with a store that has `directory` in it, or is it; undefined if there is none. */
export function storeAround(directory: string): string | undefined {
  if (hasStore(directory)) return directory
  const parent = dirname(directory)
  return parent === directory ? undefined : storeAround(parent)
}

/** Whether a directory has the database of a store. One that can't be read is taken for one. */
export function hasStore(directory: string): boolean {
  return databaseNames.some((name) => isDatabase(join(directory, name)))
}

function isDatabase(path: string): boolean {
  let file: number
  try {
    // Without a wait for a writer, if it is a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
  try {
    const start = Buffer.alloc(databaseHeaderBytes)
    return readSync(file, start, 0, databaseHeaderBytes, 0) === databaseHeaderBytes && isDatabaseHeader(start)
  } catch {
    return false
  } finally {
    closeSync(file)
  }
}
