/** `petstore backup …`: creates, lists, downloads, verifies and restores backups. */

import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type StoreConfig, storeConfig } from '../../config/config.ts'
import { type OptionValues, text, UsageError } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { lockForServing } from '../../database/lock.ts'
import { byteSize } from '../../lib/byte-size.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { isSystemError, systemReason } from '../../lib/system-error.ts'
import type { ListedCopy } from '../../operate/backups/away/work.ts'
import { type Backup, listBackups } from '../../operate/backups/folder.ts'
import type { Content } from '../../operate/backups/inspect.ts'
import { packingOf, unpackBackup, verifyPacked } from '../../operate/backups/packed.ts'
import { restoreBackup } from '../../operate/backups/restore.ts'
import { assertFinished, verifyBackup } from '../../operate/backups/verify.ts'
import type { Client } from '../client/api-client.ts'
import { callAndPrint, withClient } from '../client/client.ts'
import { ensureDataDirectory, lossOf, placeOf } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { formatTable, localTime, plural, print } from '../terminal/output.ts'
import { createProgress } from '../terminal/progress.ts'
import { besideStore, copyOptions, fetchCopy, identitiesOf, isInBucket, storedCopies, verifyCopy } from './bucket.ts'

/** A backup as the API has it; `damagedFiles` of one that was just created. */
interface NamedBackup extends Omit<Backup, 'file'> {
  readonly name: string
  readonly isOfOtherStore: boolean
  readonly damagedFiles?: number
}

/** The backup with the path of its file, or with its name if it is on another machine. */
function located({ name, bytes, createdAt }: NamedBackup, { remote, values }: Invocation): Backup {
  const file = remote ? name : join(storeConfig(values).dataDirectory, 'backups', name)
  return { file, bytes, createdAt }
}

export const backupCreate: Command = {
  name: 'backup create',
  summary: 'create a backup; the server may be running',
  details:
    'The backup is in the directory backups of the data directory: the database with the certificates and their keys in one file, and the files of deployed sites beside it in the directory contents. It is verified before it gets its final name. With --file it is also packed into one file that can be carried away.',
  examples: ['backup create', 'backup create --file /mnt/petstore.tar'],
  options: {
    file: {
      value: 'FILE',
      help: 'a new file into which the backup is packed, encrypted if recipients are set',
      default: 'none',
      path: 'file',
    },
  },
  run(invocation: Invocation) {
    const { terminal, values } = invocation
    const target = text(values, 'file')
    if (target !== undefined) assertNew(target)
    return callAndPrint(invocation, async (client) => {
      const created = await client.call<NamedBackup>('POST', '/backups')
      const { damagedFiles = 0 } = created
      if (damagedFiles > 0) terminal.err(`petstore: warning: ${incomplete(damagedFiles)}\n`)
      if (target === undefined) {
        const backup = located(created, invocation)
        return { result: backup, words: `The backup is ${backup.file} (${byteSize(backup.bytes)}).` }
      }
      const { words, ...saved } = await savePacked(client, created.name, target, terminal)
      return { result: { ...saved, createdAt: created.createdAt }, words }
    })
  },
}

export const backupList: Command = {
  name: 'backup list',
  summary: 'list the backups, newest first',
  examples: ['backup list', 'backup list --json'],
  async run(invocation: Invocation) {
    const { terminal, remote, values } = invocation
    const loss = remote ? undefined : lossOf(storeConfig(values))
    if (loss) terminal.err(`petstore: ${printable(`${loss.message} ${loss.advice}`)}\n`)
    const here = loss ? listBackups(placeOf(storeConfig(values))) : await listHere(invocation)
    const backups = [...here, ...(await copies(invocation, loss !== undefined))].toSorted((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    )
    print(invocation, backups, backupTable(backups, terminal))
    return 0
  },
}

interface ListedBackup extends Backup {
  readonly isOfOtherStore?: true
}

async function listHere(invocation: Invocation): Promise<ListedBackup[]> {
  const listed = await withClient(invocation, (client) => client.all<NamedBackup>('/backups'))
  return listed.map((backup) => ({
    ...located(backup, invocation),
    ...(backup.isOfOtherStore ? { isOfOtherStore: true } : {}),
  }))
}

/**
 * The backups in the bucket; none, and a line that says why, if it cannot be read. Without the API if the store has
 * lost its database.
 */
async function copies(invocation: Invocation, isLost: boolean): Promise<ListedBackup[]> {
  interface Listed {
    readonly copies: readonly ListedCopy[]
  }
  try {
    const there = isLost
      ? await storedCopies(invocation)
      : (await withClient(invocation, (client) => client.call<Listed>('GET', '/backups/copies'))).copies
    return there.map(({ address, bytes, createdAt }) => ({ file: address, bytes, createdAt }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    invocation.terminal.err(`petstore: warning: the copies in the bucket are not listed. ${printable(error.message)}\n`)
    return []
  }
}

function backupTable(backups: readonly ListedBackup[], terminal: Terminal): string {
  const [newest] = backups
  if (!newest) return 'There are no backups yet. Create one with: petstore backup create\n'
  const nameOf = ({ file, isOfOtherStore }: ListedBackup) =>
    `${isInBucket(file) ? file : basename(file)}${isOfOtherStore ? ' (of another store)' : ''}`
  const rows = backups.map((backup) => [localTime(backup.createdAt), byteSize(backup.bytes), nameOf(backup)])
  const table = formatTable(
    [{ title: 'CREATED' }, { title: 'SIZE', align: 'right' }, { title: 'FILE' }],
    rows,
    terminal,
  )
  const directory = dirname(backups.find(({ file }) => !isInBucket(file))?.file ?? '')
  return directory === '.' ? `${table}\n` : `${table}\nThey are in ${printable(directory)}\n`
}

export const backupDownload: Command = {
  name: 'backup download',
  summary: 'save a copy of a backup',
  details:
    'The copy is one file with the files of sites, a tar archive. It is encrypted in the format of age if recipients are set. FILE is its path, which must not exist; by default NAME with the ending .tar or .tar.age in the working directory.',
  operands: 'NAME [FILE]',
  arity: [1, 2],
  completes: 'file',
  examples: [
    'backup download production-20261121T031500Z.db --url https://api.shop.example',
    'backup download production-20261121T031500Z.db /mnt/petstore.tar',
  ],
  run(invocation: Invocation) {
    const { positionals, terminal } = invocation
    const [name = '', target] = positionals
    if (name.includes('/')) throw new UsageError('NAME is the name of a backup, as backup list prints it.')
    if (target !== undefined) assertNew(target)
    return callAndPrint(invocation, async (client) => {
      const { words, ...result } = await savePacked(client, name, target, terminal)
      return { result, words }
    })
  },
}

function assertNew(path: string): void {
  if (!existsSync(path)) return
  throw new AppError('conflict', `There is a file ${resolve(path)} already: name another one.`)
}

/** The endings of packed backups by their media types; that of a petstore 1.0.0 on another machine is not packed. */
const endings: Readonly<Record<string, string>> = { 'application/x-tar': '.tar', 'application/vnd.sqlite3': '.db' }

/** Saves a packed backup, by default under its name in the working directory. */
async function savePacked(client: Client, name: string, target: string | undefined, terminal: Terminal) {
  const { mediaType, chunks } = await client.download(`/backups/${encodeURIComponent(name)}`)
  const ending = endings[mediaType]
  const path = target ?? name.replace(/\.db$/, ending ?? '.tar.age')
  assertNew(path)
  const file = resolve(path)
  const bytes = await save(file, name, chunks, terminal)
  const size = `${byteSize(bytes)}, ${ending === undefined ? '' : 'not '}encrypted`
  const words = `Saved ${printable(file)} (${size}). Check it with: petstore backup verify ${printable(path)}`
  return { file, bytes, words }
}

/** Writes a new file, which has its name only once it is complete. Returns its size. */
async function save(path: string, name: string, chunks: AsyncIterable<Uint8Array>, terminal: Terminal) {
  const bar = createProgress(terminal, systemClock)
  const unfinished = `${path}.unfinished`
  let bytes = 0
  try {
    const file = await open(unfinished, 'w', 0o600)
    try {
      for await (const chunk of chunks) {
        await file.writeFile(chunk)
        bytes += chunk.byteLength
        bar.update(`Packing ${name}: ${byteSize(bytes)}`)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    renameSync(unfinished, path)
    return bytes
  } catch (cause) {
    rmSync(unfinished, { force: true })
    if (!isSystemError(cause)) throw cause
    throw new AppError('storage_unavailable', `${path} can't be written: ${systemReason(cause)}.`, { cause })
  } finally {
    bar.clear()
  }
}

const copyDetails =
  's3://BUCKET/PREFIX/NAME is a copy in a bucket, as backup list prints it; s3://BUCKET/PREFIX is the newest one.'
const fileDetails =
  'FILE is a backup or a packed one: a path, or the name of a file in the directory backups of the data directory.'

/** The result of the API for a backup on another machine. */
interface RemoteResult extends Omit<Content, 'environment'> {
  readonly fault: string | null
  readonly damagedFiles: number
}

export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'check whether a backup is complete and can be restored',
  details: `${fileDetails} With --url, it is the name of a backup there. ${copyDetails} Such a copy, or a packed backup, is decrypted beside the store, or in the directory for temporary files where there is none, and removed again.`,
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  examples: [
    'backup verify production-20261121T031500Z.db',
    'backup verify s3://shop-backups/pets --identity identity.txt',
  ],
  options: copyOptions,
  async run(invocation: Invocation) {
    const { positionals, remote } = invocation
    const [given = ''] = positionals
    const verified = isInBucket(given)
      ? await verifyCopy(given, invocation)
      : remote
        ? await verifyRemotely(given, invocation)
        : await verifyHere(given, invocation)
    const { file, animals, orders, keys, damagedFiles } = verified
    const line =
      damagedFiles === 0
        ? `${printable(file)} is undamaged: ${describe(verified)}.`
        : `${printable(file)} can be restored: ${describe(verified)}. But ${incomplete(damagedFiles)}`
    print(invocation, { file, ok: true, animals, orders, keys, damagedFiles }, line)
    return 0
  },
}

/** Any copy of a backup, also one that is far from its store. */
async function verifyHere(given: string, { values }: Invocation) {
  const config = storeConfig(values)
  const file = backupFile(given, config)
  assertFinished(file)
  const found = packingOf(file)
    ? await besideStore(config, async (place) => await verifyPacked(await packedAt(file, values), place))
    : verifyBackup(file, config.environment)
  return { ...found, file }
}

async function verifyRemotely(name: string, invocation: Invocation) {
  const found = await withClient(invocation, (client) =>
    client.call<RemoteResult>('POST', `/backups/${encodeURIComponent(name)}/verify`),
  )
  if (found.fault !== null) throw new AppError('invalid_body', found.fault)
  return { ...found, file: name }
}

export const backupRestore: Command = {
  name: 'backup restore',
  isLocal: true,
  summary: 'replace the store with a backup, and keep the old store',
  details: `${fileDetails} ${copyDetails} Stop the server first. On a new machine it makes the store.`,
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  changesStore: true,
  examples: [
    'backup restore production-20261121T031500Z.db',
    'backup restore s3://shop-backups/pets --identity identity.txt --data /srv/petstore',
  ],
  options: copyOptions,
  async run(invocation: Invocation) {
    const { values, positionals } = invocation
    const config = storeConfig(values)
    const place = { databasePath: databasePath(config), environment: config.environment }
    const restored = await inDataDirectory(config, async () => {
      const file = await restorable(positionals[0] ?? '', invocation, config)
      return { file, ...restoreBackup(file, place, Date.now) }
    })
    const { file, previous, previousLogs, isHeld, ...content } = restored
    const lines = [
      `Restored ${printable(file)}: ${describe(content)}.`,
      ...(content.damagedFiles === 0 ? [] : [`But ${incomplete(content.damagedFiles)}`]),
      ...(previous === null ? [] : [`The old store is kept in ${printable(previous)}.`]),
      ...previousLogs.map((log) => `The log of the lost database is kept in ${printable(log)}.`),
      ...(isHeld ? [onHoldAdvice] : []),
    ]
    const result = { file, ...content, previous, previousLogs, isHeld }
    print(invocation, result, lines.join('\n'))
    return 0
  },
}

const onHoldAdvice =
  'The store is on hold, because another machine may still run it: until you confirm that this machine runs it now, it orders no certificates and sends no mail and no webhooks. Stop the other one, then confirm in the dashboard or with: petstore backup confirm'

export const backupConfirm: Command = {
  name: 'backup confirm',
  summary: 'confirm that this machine now runs a restored store',
  details:
    'Until then it is on hold: it orders no certificates and sends no mail, no webhooks and no copies of backups, since its old machine may still run. Stop that one first.',
  examples: ['backup confirm', 'backup confirm --data /srv/petstore'],
  run: (invocation: Invocation) =>
    callAndPrint(invocation, async (client) => {
      const before = await client.call<{ readonly heldSince: string | null }>('POST', '/backups/confirm')
      const words =
        before.heldSince === null
          ? 'The store was not on hold: nothing has changed.'
          : 'This machine runs the store now: it orders certificates and sends mail and webhooks again.'
      return { result: before, words }
    }),
}

/** Runs `restore` in the data directory. If it fails, one that was made for it is removed again. */
async function inDataDirectory<T>(config: StoreConfig, restore: () => Promise<T>): Promise<T> {
  const made = ensureDataDirectory(config)
  try {
    return await restore()
  } catch (error) {
    if (made !== undefined) removeUnused(config, made)
    throw error
  }
}

/**
 * Removes the data directory, and its parents up to `made`, unless something was fetched into it or another command
 * uses it.
 */
function removeUnused(config: StoreConfig, made: string): void {
  try {
    const unlock = lockForServing(databasePath(config))
    try {
      const entries = readdirSync(config.dataDirectory, { recursive: true, withFileTypes: true })
      const isLock = ({ name }: { readonly name: string }) => name === '.lock' || name.endsWith('-serving')
      if (!entries.every((entry) => entry.isDirectory() || isLock(entry))) return
      rmSync(config.dataDirectory, { recursive: true })
      for (let removed = config.dataDirectory; removed !== made; ) {
        removed = dirname(removed)
        rmdirSync(removed)
      }
    } finally {
      unlock()
    }
  } catch {
    // It stays. The error of the restore is the one to report.
  }
}

/** The path of the backup, which is fetched if it is in a bucket, and unpacked if it is packed. */
async function restorable(given: string, invocation: Invocation, config: StoreConfig): Promise<string> {
  if (!isInBucket(given)) {
    const file = backupFile(given, config)
    assertFinished(file)
    if (packingOf(file) === undefined) return file
    assertNotServed(config)
    return await unpackBackup(await packedAt(file, invocation.values), placeOf(config))
  }
  assertNotServed(config)
  return await fetchCopy(given, invocation)
}

/** A server that runs is reported before a backup is fetched or unpacked. */
const assertNotServed = (config: StoreConfig) => lockForServing(databasePath(config))()

const packedAt = async (file: string, values: OptionValues) => ({ file, identities: await identitiesOf(values) })

/** The absolute path of an operand: a path, or else the name of a file in the directory of the backups. */
function backupFile(given: string, config: StoreConfig): string {
  const path = resolve(given)
  const named = join(config.dataDirectory, 'backups', given)
  return !existsSync(path) && !given.includes('/') && existsSync(named) ? named : path
}

/** What is wrong with a backup that lacks files. */
function incomplete(damagedFiles: number): string {
  const files = `${plural(damagedFiles, 'file')} of sites or certificates`
  return `${files} ${damagedFiles === 1 ? 'is' : 'are'} missing or damaged. Deploy these sites again; certificates are ordered again.`
}

function describe({ animals, orders, keys }: Pick<Content, 'animals' | 'orders' | 'keys'>): string {
  return [plural(animals, 'animal'), plural(orders, 'order'), plural(keys, 'key')].join(', ')
}
