/**
 * The service gets a new executable. The old one comes back as long as the new one has admitted no request, and never
 * afterwards: changes that clients know of stay.
 */

import { renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockForServing } from '../../database/lock.ts'
import { hasUpgradeMark, markedBackup, removeUpgradeMark, setUpgradeMark } from '../../database/upgrade-mark.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import { flush } from '../../lib/flush.ts'
import { backUpBeforeUpgrade, versionInHeader } from '../../operate/backups/before-migration.ts'
import { explained, sumOf, withFile } from '../../operate/backups/files.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import { putBack } from '../../operate/backups/restore.ts'
import { replaceExecutable } from '../service/systemd.ts'
import { schemaOf } from './executable.ts'

/** A service of this machine. */
export interface UpgradedService {
  readonly name: string
  readonly executable: string
  /** Resolves when it has ended, and nothing starts it again. */
  stop(): Promise<void>
  /** Resolves when it is ready; throws `conflict` with the reason if it does not become ready in time. */
  start(): Promise<void>
}

/**
 * Throws `conflict` after it has put everything back, or if the new executable has admitted requests and then failed.
 */
export async function replace(file: string, place: StorePlace, service: UpgradedService, say: (line: string) => void) {
  const { name, executable } = service
  const previous = `${executable}.previous`
  // An upgrade to this file was interrupted after the replacement: this one continues it.
  let isReplaced = withFile(file, (found) => sumOf(found)) === withFile(executable, (found) => sumOf(found))
  if (isReplaced && !hasUpgradeMark(place.databasePath)) {
    throw new AppError('conflict', `${executable} is this petstore already. Nothing was changed.`)
  }
  say(
    `It works. Stopping the service ${name}, backing the store up, keeping the old executable as ${previous}, and replacing ${executable}. Until it is ready again, no request is admitted.`,
  )
  await service.stop()
  let backup: string | undefined
  try {
    const unlock = lockForServing(place.databasePath)
    try {
      // An upgrade that was killed may have migrated the store: its backup leads back, and another one would not.
      backup = markedBackup(place.databasePath)
      if (backup === undefined) {
        backup = backUpBeforeUpgrade(place, Date.now)
        setUpgradeMark(place.databasePath, backup)
      }
      if (!isReplaced) {
        replaceExecutable(executable, previous)
        replaceExecutable(file, executable)
        isReplaced = true
      }
    } finally {
      unlock()
    }
    await service.start()
    return { previous, backup }
  } catch (cause) {
    throw await goBack(cause)
  }

  /**
   * Puts the old executable and the backup back, unless the store was used since; returns the error that says what
   * happened.
   */
  async function goBack(cause: unknown): Promise<AppError> {
    const reason = sentenceOf(cause)
    try {
      await service.stop()
      if (isReplaced && !hasUpgradeMark(place.databasePath)) {
        await service.start()
        const advice = `${previous} and ${backup} lead back, without what was changed since: docs/guide/upgrade.md`
        return new AppError(
          'conflict',
          `${reason} It had admitted requests before, so nothing was put back. ${advice}.`,
        )
      }
      if (isReplaced) takeBack(previous, executable)
      const fault = isReplaced && backup !== undefined ? restoreIfMigrated(backup, place) : undefined
      if (fault === undefined) removeUpgradeMark(place.databasePath)
      await service.start().catch((error: unknown) => {
        throw fault ?? error
      })
      return new AppError('conflict', `${reason} Nothing was upgraded or lost: the service runs as before.`)
    } catch (error) {
      const left = `This could not be put back: ${sentenceOf(error)} docs/guide/upgrade.md has the steps.`
      return new AppError('conflict', `${reason} ${left}`, { cause: error })
    }
  }
}

/** Puts the old executable back, which needs no space. */
function takeBack(previous: string, executable: string): void {
  renameSync(previous, executable)
  flush(dirname(executable))
}

/**
 * Puts the backup back if the store was migrated: the old executable can read any other as it is, and a full disk may
 * have no space for a second copy. Returns the error if that is impossible.
 */
function restoreIfMigrated(backup: string, place: StorePlace): unknown {
  try {
    if (schemaOf(place.databasePath) !== versionInHeader(backup)) putBack(backup, place, Date.now)
    return undefined
  } catch (error) {
    return error
  }
}

/** The message of an error with its full stop: more sentences follow. */
const sentenceOf = (error: unknown): string => messageOf(explained('The upgrade failed', error)).replace(/\.?$/, '.')
