/**
 * A mark beside the database, from the moment in which an upgrade has backed the store up until the store is used. The upgrade may put the
 * backup back only while the mark is there: nobody can have changed anything since then.
 */

import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwner } from './owner.ts'

const markOf = (databasePath: string) => `${databasePath}-upgrading`

export const hasUpgradeMark = (databasePath: string): boolean => existsSync(markOf(databasePath))

/** Throws the error of the system. */
export function setUpgradeMark(databasePath: string): void {
  const path = markOf(databasePath)
  closeSync(openSync(path, 'w', 0o600))
  giveToOwner(path)
  flushNames(databasePath)
}

/** To be called before anything is changed for somebody, such as the first request. Does nothing if there is no mark. */
export function removeUpgradeMark(databasePath: string): void {
  if (!hasUpgradeMark(databasePath)) return
  rmSync(markOf(databasePath), { force: true })
  flushNames(databasePath)
}

function flushNames(databasePath: string): void {
  const directory = openSync(dirname(databasePath), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
