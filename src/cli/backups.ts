/** `petstore backup …`: creates, lists, verifies and restores backups. */

import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type StoreConfig, storeConfig } from '../config/config.ts'
import { databasePath } from '../database/environment.ts'
import { printable } from '../lib/log.ts'
import { createBackup } from '../operate/backups/create.ts'
import { type Backup, listBackups } from '../operate/backups/folder.ts'
import type { Content } from '../operate/backups/inspect.ts'
import { restoreBackup } from '../operate/backups/restore.ts'
import { verifyBackup } from '../operate/backups/verify.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { formatTable, localTime, plural } from './output.ts'
import { isWithoutStore, missingStore, storeExists } from './store.ts'

const locationOf = (config: StoreConfig) => ({ databasePath: databasePath(config), environment: config.environment })

export const backupCreate: Command = {
  name: 'backup create',
  isLocal: true,
  summary: 'create a backup; the server may be running',
  details:
    'The backup is one file in the directory backups of the data directory. It contains the files of deployed sites, and the certificates with their keys. It is verified before it gets its final name.',
  examples: ['backup create', 'backup create --data /srv/petstore'],
  run({ values, terminal }: Invocation) {
    const config = storeConfig(values)
    if (!storeExists(config)) throw missingStore(config)
    const { damagedFiles, ...backup } = createBackup(locationOf(config), Date.now)
    if (damagedFiles > 0) terminal.err(`petstore: warning: ${incomplete(damagedFiles)}\n`)
    const line = `The backup is ${printable(backup.file)} (${megabytes(backup)}).`
    terminal.out(`${values['json'] ? JSON.stringify(backup) : line}\n`)
    return 0
  },
}

export const backupList: Command = {
  name: 'backup list',
  isLocal: true,
  summary: 'list the backups, newest first',
  examples: ['backup list', 'backup list --json'],
  run({ values, terminal }: Invocation) {
    const config = storeConfig(values)
    if (!storeExists(config)) throw missingStore(config)
    const backups = listBackups(locationOf(config))
    terminal.out(values['json'] ? `${JSON.stringify(backups)}\n` : backupTable(backups, terminal))
    return 0
  },
}

function backupTable(backups: readonly Backup[], terminal: Terminal): string {
  const [newest] = backups
  if (!newest) return 'There are no backups yet. Create one with: petstore backup create\n'
  const rows = backups.map((backup) => [localTime(backup.createdAt), megabytes(backup), basename(backup.file)])
  const table = formatTable(
    [{ title: 'CREATED' }, { title: 'SIZE', align: 'right' }, { title: 'FILE' }],
    rows,
    terminal,
  )
  return `${table}\nThey are in ${printable(dirname(newest.file))}\n`
}

const fileDetails = 'FILE is a path, or the name of a file in the directory backups of the data directory.'

export const backupVerify: Command = {
  name: 'backup verify',
  isLocal: true,
  summary: 'check whether a backup is complete and can be restored',
  details: fileDetails,
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  examples: [
    'backup verify production-20261121T031500Z.db',
    'backup verify data/backups/production-20261121T031500Z.db',
  ],
  run({ values, positionals, terminal }: Invocation) {
    const config = storeConfig(values)
    const file = backupFile(positionals[0] ?? '', config)
    const content = verifyBackup(file, config.environment)
    const { damagedFiles } = content
    const line =
      damagedFiles === 0
        ? `${printable(file)} is undamaged: ${describe(content)}.`
        : `${printable(file)} can be restored: ${describe(content)}. But ${incomplete(damagedFiles)}`
    terminal.out(`${values['json'] ? JSON.stringify({ file, ok: true, ...content }) : line}\n`)
    return 0
  },
}

export const backupRestore: Command = {
  name: 'backup restore',
  isLocal: true,
  summary: 'replace the store with a backup, and keep the old store',
  details: `${fileDetails} Stop the server first. On a new machine, create a store first, which the backup then replaces: petstore demo.`,
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  changesStore: true,
  examples: ['backup restore production-20261121T031500Z.db', 'backup restore /mnt/copy.db --data /srv/petstore'],
  run({ values, positionals, terminal }: Invocation) {
    const config = storeConfig(values)
    const file = backupFile(positionals[0] ?? '', config)
    if (isWithoutStore(config)) throw missingStore(config, restoreAdvice)
    const { previous, previousLogs, ...content } = restoreBackup(file, locationOf(config), Date.now)
    const lines = [
      `Restored ${printable(file)}: ${describe(content)}.`,
      ...(content.damagedFiles === 0 ? [] : [`But ${incomplete(content.damagedFiles)}`]),
      ...(previous === null ? [] : [`The old store is kept in ${printable(previous)}.`]),
      ...previousLogs.map((log) => `The log of the lost database is kept in ${printable(log)}.`),
    ]
    const result = { file, ...content, previous, previousLogs }
    terminal.out(`${values['json'] ? JSON.stringify(result) : lines.join('\n')}\n`)
    return 0
  },
}

const restoreAdvice =
  'Check --data and --environment. On a new machine, create a store first (petstore demo), then restore: the backup replaces it.'

/** The absolute path of an operand: a path, or else the name of a file in the directory of the backups. */
function backupFile(given: string, config: StoreConfig): string {
  const path = resolve(given)
  const named = join(config.dataDirectory, 'backups', given)
  return !existsSync(path) && !given.includes('/') && existsSync(named) ? named : path
}

/** What is wrong with a backup that lacks files. */
function incomplete(damagedFiles: number): string {
  const files = `${plural(damagedFiles, 'file')} of sites or certificates`
  return `${files} ${damagedFiles === 1 ? 'was' : 'were'} missing or damaged when it was made. Deploy these sites again; certificates are ordered again.`
}

function describe({ animals, orders, keys }: Content): string {
  return [plural(animals, 'animal'), plural(orders, 'order'), plural(keys, 'key')].join(', ')
}

function megabytes({ bytes }: Backup): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`
}
