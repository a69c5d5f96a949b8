/** `petstore backup …`: copies of the store while it runs, and the way back to one. */

import { resolve } from 'node:path'
import { createBackup } from '../backups/create.ts'
import { type Backup, listBackups } from '../backups/folder.ts'
import type { Content } from '../backups/inspect.ts'
import { restoreBackup } from '../backups/restore.ts'
import { verifyBackup } from '../backups/verify.ts'
import { type StoreConfig, storeConfig } from '../config.ts'
import { databasePath } from '../database/environment.ts'
import { printable } from '../lib/log.ts'
import { type Command, formatTable, type Invocation } from './command.ts'
import { ensureDataDirectory } from './store.ts'

const placeOf = (config: StoreConfig) => ({ databasePath: databasePath(config), environment: config.environment })

export const backupCreate: Command = {
  name: 'backup create',
  summary: 'make a backup, also while the server runs',
  run({ values, terminal }: Invocation) {
    const backup = createBackup(placeOf(storeConfig(values)), Date.now)
    const line = `The backup is ${printable(backup.file)} (${megabytes(backup)}).`
    terminal.out(`${values['json'] ? JSON.stringify(backup) : line}\n`)
    return 0
  },
}

export const backupList: Command = {
  name: 'backup list',
  summary: 'list the backups, newest first',
  run({ values, terminal }: Invocation) {
    const backups = listBackups(placeOf(storeConfig(values)))
    terminal.out(values['json'] ? `${JSON.stringify(backups)}\n` : backupTable(backups))
    return 0
  },
}

function backupTable(backups: readonly Backup[]): string {
  const rows = backups.map((backup) => [backup.createdAt, megabytes(backup), backup.file])
  return formatTable([['CREATED', 'SIZE', 'FILE'], ...rows])
}

export const backupVerify: Command = {
  name: 'backup verify',
  summary: 'say whether a backup is whole and can be restored',
  operands: 'FILE',
  arity: [1, 1],
  run({ values, positionals, terminal }: Invocation) {
    const file = resolve(positionals[0] ?? '')
    const content = verifyBackup(file, storeConfig(values).environment)
    const line = `${printable(file)} is sound: ${describe(content)}.`
    terminal.out(`${values['json'] ? JSON.stringify({ file, ok: true, ...content }) : line}\n`)
    return 0
  },
}

export const backupRestore: Command = {
  name: 'backup restore',
  summary: 'put a backup in the place of the store, which is kept aside',
  operands: 'FILE',
  arity: [1, 1],
  run({ values, positionals, terminal }: Invocation) {
    const file = resolve(positionals[0] ?? '')
    const config = storeConfig(values)
    ensureDataDirectory(config)
    const { previous, ...content } = restoreBackup(file, placeOf(config), Date.now)
    const lines = [
      `Restored ${printable(file)}: ${describe(content)}.`,
      ...(previous === null ? [] : [`What was there before is kept in ${printable(previous)}.`]),
    ]
    terminal.out(values['json'] ? `${JSON.stringify({ file, ...content, previous })}\n` : `${lines.join('\n')}\n`)
    return 0
  },
}

function describe({ animals, orders, keys }: Content): string {
  const counts = [plural(animals, 'animal'), plural(orders, 'order'), plural(keys, 'key')]
  return counts.join(', ')
}

function plural(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}

function megabytes({ bytes }: Backup): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`
}
