/**
 * The last line of a backup: when it was made, and the SHA-256 of all that precedes the sum. SQLite alone
 * would not notice a flipped bit inside a name. To SQLite the file is a database like any other: it reads the
 * pages that the header counts and nothing behind them. https://sqlite.org/fileformat2.html#in_header_database_size
 */

import { appendFileSync, closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs'
import { readPieces } from './files.ts'

const form = /^petstore backup (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) sha256 ([0-9a-f]{64})\n$/
const sumBytes = 64 + '\n'.length
const sealBytes = `petstore backup ${new Date(0).toISOString()} sha256 `.length + sumBytes

export interface Seal {
  /** RFC 3339. */
  readonly createdAt: string
  /** Whether the file is, byte for byte, what was sealed. */
  readonly isIntact: boolean
}

/** Puts the seal on a finished database file; `createdAt` is in Unix milliseconds. */
export function seal(path: string, createdAt: number): void {
  appendFileSync(path, `petstore backup ${new Date(createdAt).toISOString()} sha256 `)
  appendFileSync(path, `${withFile(path, (file, bytes) => sumOf(file, bytes))}\n`)
}

/** The seal of a file, undefined if it has none, as a copy made in another way. */
export function readSeal(path: string): Seal | undefined {
  return withFile(path, (file, bytes) => {
    const line = Buffer.alloc(sealBytes)
    readSync(file, line, 0, sealBytes, Math.max(0, bytes - sealBytes))
    const [, createdAt, sum] = form.exec(line.toString('latin1')) ?? []
    if (createdAt === undefined) return undefined
    return { createdAt, isIntact: sumOf(file, bytes - sumBytes) === sum }
  })
}

/** Takes the seal off, which leaves the database alone. */
export function unseal(path: string): void {
  const bytes = withFile(path, (_, size) => size)
  truncateSync(path, bytes - sealBytes)
}

function sumOf(file: number, bytes: number): string {
  const hasher = new Bun.CryptoHasher('sha256')
  readPieces(file, bytes, (piece) => hasher.update(piece))
  return hasher.digest('hex')
}

function withFile<T>(path: string, use: (file: number, bytes: number) => T): T {
  const file = openSync(path, 'r')
  try {
    return use(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}
