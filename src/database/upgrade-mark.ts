/**
 * A mark beside the database, from the moment in which an upgrade has backed the store up until the store is used. The
 * upgrade may put the backup, whose path is in the mark, back only while the mark is there: nobody can have changed
 * anything since then.
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
 * To be called before anything is changed for somebody, such as the first request. Does nothing if there is no mark.
 */
export function removeUpgradeMark(databasePath: string): void {
  if (!hasUpgradeMark(databasePath)) return
  rmSync(markOf(databasePath), { force: true })
  flush(dirname(databasePath))
}
