/**
 * The seal is the last line of a backup: the time at which it was made, and the SHA-256 of all bytes before the sum.
 * SQLite alone does not notice a flipped bit inside a name. It can still open the file as a database: it reads the
 * pages that the header counts and nothing behind them. https://sqlite.org/fileformat2.html#in_header_database_size
 */

import { appendFileSync, fstatSync, readSync, statSync, truncateSync } from 'node:fs'
import { sumOf, withFile } from './files.ts'

const form = /^petstore backup (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) sha256 ([0-9a-f]{64})\n$/
const sumBytes = 64 + '\n'.length
const sealBytes = `petstore backup ${new Date(0).toISOString()} sha256 `.length + sumBytes

/** Appends the seal to a complete database file; `createdAt` is in Unix milliseconds. */
export function seal(path: string, createdAt: number): void {
  appendFileSync(path, `petstore backup ${new Date(createdAt).toISOString()} sha256 `)
  appendFileSync(path, `${withFile(path, (file) => sumOf(file))}\n`)
}

/** Whether a file ends in a seal, intact or not. */
export function isSealed(path: string): boolean {
  return withFile(path, (file) => readLine(file) !== null)
}

/**
 * The time of the seal of a file (RFC 3339), and whether no byte has changed since; undefined if the file has none
 * because another program made the copy.
 */
export function readSeal(path: string) {
  return withFile(path, (file) => {
    const [, createdAt, sum] = readLine(file) ?? []
    if (createdAt === undefined) return undefined
    return { createdAt, isIntact: sumOf(file, fstatSync(file).size - sumBytes) === sum }
  })
}

function readLine(file: number): RegExpExecArray | null {
  const line = Buffer.alloc(sealBytes)
  readSync(file, line, 0, sealBytes, Math.max(0, fstatSync(file).size - sealBytes))
  return form.exec(line.toString('latin1'))
}

/** Whether two sealed files differ at most in their seals. */
export function isSameContent(a: string, b: string): boolean {
  const { size } = statSync(a)
  const sumOfContent = (path: string) => withFile(path, (file) => sumOf(file, size - sealBytes))
  return statSync(b).size === size && sumOfContent(a) === sumOfContent(b)
}

/** Removes the seal, which leaves the database as it was before. */
export function unseal(path: string): void {
  truncateSync(path, statSync(path).size - sealBytes)
}
