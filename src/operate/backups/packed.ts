/**
 * A backup in one file that can be carried away: a tar archive with the file of the backup, then its contents below
 * `contents/`, encrypted if there are recipients. Unpacked with `age` and `tar`, it is a backup, too. Petstore
 * unpacks only archives that it has packed: every header must have exactly its bytes.
 */

import { existsSync, readSync, renameSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { blockBytes, createInput, isZero, padding } from '../../hosting/deploys/archive/blocks.ts'
import { header } from '../../hosting/deploys/archive/pack.ts'
import type { Environment } from '../../lib/environment.ts'
import { AppError } from '../../lib/error.ts'
import { makeDirectory } from '../../lib/file-owner.ts'
import { flush } from '../../lib/flush.ts'
import { codeOf } from '../../lib/system-error.ts'
import { decrypted, encrypted } from './away/encryption.ts'
import { type BackupContent, contentsBeside, contentsOf, saveContent } from './contents.ts'
import { assertSpace, explained, firstFree, hashOf, save, withFile } from './files.ts'
import { type BackupFolder, openBackupFolder, type StorePlace } from './folder.ts'
import { otherEnvironment, unusableFile } from './inspect.ts'
import { type BackupName, backupName, readBackupName } from './rules.ts'
import { readSeal } from './seal.ts'
import { type Verified, verifyCopy } from './verify.ts'

/** So little is encrypted at once that the requests beside it do not wait for long. */
const pieceBytes = 65_536
/** Only its owner may read an unpacked file. */
const mode = 0o600
const directory = 'contents'
const contentPath = /^contents\/([0-9a-f]{2})\/([0-9a-f]{62})$/

/** The name of the backup `name` once it is packed. */
export function packedName(name: string, recipients: readonly string[]): string {
  return name.replace(/\.db$/, '.tar') + (recipients.length > 0 ? '.age' : '')
}

/** The packed form of the backup at `file`, no faster than it is read. Throws what the system throws. */
export async function* packed(file: string, recipients: readonly string[]): AsyncGenerator<Uint8Array, void> {
  yield* await encrypted(archiveOf(file), recipients)
}

async function* archiveOf(file: string): AsyncGenerator<Uint8Array, void> {
  const name = basename(file)
  const modifiedMs = readBackupName(name)?.createdAt ?? 0
  const { pathOf } = contentsBeside(file)
  yield* entryOf(name, file, modifiedMs)
  for (const { hash } of readableContents(file)) {
    try {
      yield* entryOf(`${directory}/${hash.slice(0, 2)}/${hash.slice(2)}`, pathOf(hash), modifiedMs)
    } catch (error) {
      // Verifying counts a content that is missing. If the backup is, too, both were deleted just now.
      if (codeOf(error) !== 'ENOENT' || !existsSync(file)) throw error
    }
  }
  yield Buffer.alloc(2 * blockBytes)
}

/** Of a damaged backup there is nothing but its file: verifying says what is wrong. */
function* readableContents(file: string): Generator<BackupContent, void> {
  try {
    yield* contentsOf(file)
  } catch (error) {
    if (!existsSync(file)) throw error
  }
}

async function* entryOf(name: string, path: string, modifiedMs: number): AsyncGenerator<Uint8Array, void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    yield header(name, size, modifiedMs, '0', mode)
    yield* piecesOf(file, size)
    yield padding(size)
  } finally {
    await file.close()
  }
}

async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array, void> {
  for (let position = 0; position < size; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, size - position))
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) throw new Error('A file of a backup became shorter while it was read.')
    yield piece.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** How a file is packed, by its first bytes; undefined if it is not. Throws the error of the system. */
export function packingOf(path: string): 'tar' | 'age' | undefined {
  const block = Buffer.alloc(blockBytes)
  withFile(path, (file) => readSync(file, block, 0, block.length, 0))
  const start = block.toString('latin1')
  if (start.startsWith('age-encryption.org/v1\n')) return 'age'
  return start.startsWith('ustar', 257) ? 'tar' : undefined
}

export interface PackedFile {
  /** Absolute. */
  readonly file: string
  readonly identities: readonly string[]
}

/**
 * Unpacks a backup into the directory of the backups of a store. Returns its path. Contents that were unpacked before
 * stay: after an interruption it goes on. Throws `invalid_body` or `storage_unavailable` with the reason.
 */
export async function unpackBackup(packedFile: PackedFile, place: StorePlace): Promise<string> {
  return await inFolder(packedFile, place, (folder) => unpack(packedFile, place.environment, folder.path))
}

/** Unpacks a backup beside those of a store, checks whether it can be restored, and removes it. Throws likewise. */
export async function verifyPacked(packedFile: PackedFile, place: StorePlace): Promise<Verified> {
  return await inFolder(packedFile, place, async ({ unfinished }) => {
    const file = await unpack(packedFile, place.environment, `${unfinished}-verified`)
    return verifyCopy(file, place.environment, packedFile.file, [contentsBeside(file)])
  })
}

async function inFolder<T>(
  { file }: PackedFile,
  { databasePath }: StorePlace,
  use: (folder: BackupFolder) => Promise<T>,
): Promise<T> {
  try {
    using folder = openBackupFolder(databasePath)
    return await use(folder)
  } catch (cause) {
    throw explained(`${file} could not be unpacked`, cause)
  }
}

async function unpack({ file, identities }: PackedFile, environment: Environment, target: string): Promise<string> {
  const isEncrypted = packingOf(file) === 'age'
  if (isEncrypted && identities.length === 0) {
    throw new AppError('invalid_body', `${file} is encrypted: name the file of the identity with --identity FILE.`)
  }
  const content = Bun.file(file).stream()
  const entries = entriesIn(isEncrypted ? decrypted(content, identities, file) : content, file)
  const { value: first } = await entries.next()
  const name = first && readBackupName(first.name)
  if (!first || !name) throw unusableFile(file, 'it is not a backup')
  if (name.environment !== environment) throw otherEnvironment(file, name.environment, environment)
  makeDirectory(target)
  const unfinished = join(target, '.unfinished-unpacked')
  assertSpace(target, first.size, 'Nothing was unpacked')
  await save(unfinished, first.content)
  if (!readSeal(unfinished)?.isIntact) {
    throw unusableFile(file, 'it is damaged: the content of its database does not match its checksum')
  }
  const layout = contentsBeside(unfinished)
  const listed = new Set(Array.from(contentsOf(unfinished), ({ hash }) => hash))
  for await (const entry of entries) {
    const hash = hashIn(entry.name)
    if (hash === undefined)
      throw unusableFile(file, `it has an entry ${JSON.stringify(entry.name)}, which no backup has`)
    if (!listed.has(hash) || hashOf(layout.pathOf(hash)) === hash) continue
    assertSpace(target, entry.size, 'Nothing was unpacked')
    // Verifying counts one that is damaged as missing.
    await saveContent(layout, hash, entry.content)
  }
  return keep(unfinished, target, name)
}

const hashIn = (path: string) => contentPath.exec(path)?.slice(1).join('')

/** Never replaces another backup that has the same name. */
function keep(unfinished: string, target: string, name: BackupName): string {
  const isTaken = (path: string) => existsSync(path) && hashOf(path) !== hashOf(unfinished)
  const named = join(target, backupName(name))
  const path = isTaken(named) ? firstFree((number) => join(target, backupName({ ...name, number }))) : named
  renameSync(unfinished, path)
  flush(target)
  return path
}

interface PackedEntry {
  readonly name: string
  readonly size: number
  /** To be read before the next entry is requested, which skips the rest. */
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * The entries of an archive that `packed` has made; `file` is its name in errors. Throws `invalid_body` for anything
 * but what `packed` writes.
 */
async function* entriesIn(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<PackedEntry, undefined> {
  const damaged = () => unusableFile(file, 'it is damaged, or petstore has not packed it')
  const input = createInput(chunks, () => unusableFile(file, 'it is damaged: its end is missing'))
  for (;;) {
    const block = await input.exactly(blockBytes)
    if (isZero(block)) break
    const text = (start: number, end: number) => block.toString('latin1', start, end).replace(/\0.*$/s, '')
    const name = text(0, 100)
    const [size, seconds] = [Number.parseInt(text(124, 136), 8), Number.parseInt(text(136, 148), 8)]
    if (!header(name, size, seconds * 1_000, '0', mode).equals(block)) throw damaged()
    const content = input.content(size)
    yield { name, size, content: content.chunks() }
    await content.skip()
  }
  // An encrypted file is whole only if it can be read to its end.
  if (!isZero(await input.exactly(blockBytes)) || !(await input.endsWithin(0))) throw damaged()
}
