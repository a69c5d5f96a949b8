/**
 * A mark beside the database. It exists from the moment in which an upgrade has backed up the store until the store is
 * used. Only while it exists the upgrade may restore the backup, whose path is in the mark, because nothing can have
 * changed since.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwner } from '../lib/file-owner.ts'
import { flush } from '../lib/flush.ts'

const markOf = (databasePath: string) => `${databasePath}-upgrading`

export const hasUpgradeMark = (databasePath: string): boolean => existsSync(markOf(databasePath))

/**
 * The path of the backup since which nobody has used the store; undefined if there is no mark, or the backup is gone.
 */
export function markedBackup(databasePath: string): string | undefined {
  if (!hasUpgradeMark(databasePath)) return undefined
  const backup = readFileSync(markOf(databasePath), 'utf8')
  return existsSync(backup) ? backup : undefined
}

/** Throws the error of the system. */
export function setUpgradeMark(databasePath: string, backup: string): void {
  const path = markOf(databasePath)
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, backup)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  giveToOwner(path)
  flush(dirname(databasePath))
}

/**
 * To be called before the first request or any other change of the store. Does nothing if there is no mark.
 */
export function removeUpgradeMark(databasePath: string): void {
  if (!hasUpgradeMark(databasePath)) return
  rmSync(markOf(databasePath), { force: true })
  flush(dirname(databasePath))
}
