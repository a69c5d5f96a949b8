/** How much space the deploys of an account may use, and which old ones make room for a new one. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../lib/error.ts'
import type { FileRows } from '../file-rows.ts'
import type { DeployStore } from '../store.ts'

/** The most bytes of distinct contents that the deploys of an account use. */
export const maximumAccountBytes = 1024 * 1_048_576

/** Rows that are read between two turns of the event loop. */
const rowsPerStep = 300

export interface SpaceStores {
  readonly deploys: Pick<DeployStore, 'expendableOf'>
  readonly deployFiles: Pick<FileRows, 'page' | 'bytesOf' | 'usesOf'>
}

/**
 * The deploys of an account to remove so that it uses at most `maximumAccountBytes`: of those that are not live and were
 * never promoted, the oldest ones. The account has no removed deploys: deleting them would change what this reads. Changes
 * nothing. Throws `payload_too_large` if even all of them are not enough.
 */
export async function planSpace(stores: SpaceStores, accountId: number): Promise<number[]> {
  const { deploys, deployFiles } = stores
  let bytes = deployFiles.bytesOf(accountId)
  if (bytes <= maximumAccountBytes) return []
  /** How many uses of each content end with the deploys so far. */
  const ended = new Map<string, number>()

  async function subtract(deployId: number): Promise<void> {
    for (let after = '', isLast = false; !isLast; await nextTurn()) {
      const files = deployFiles.page(deployId, after, rowsPerStep)
      for (const { hash, size } of files) {
        const count = (ended.get(hash) ?? 0) + 1
        ended.set(hash, count)
        if (count === deployFiles.usesOf(accountId, hash)) bytes -= size
      }
      after = files.at(-1)?.path ?? ''
      isLast = files.length < rowsPerStep
    }
  }

  const superseded: number[] = []
  for (const id of deploys.expendableOf(accountId)) {
    if (bytes <= maximumAccountBytes) break
    await subtract(id)
    superseded.push(id)
  }
  if (bytes <= maximumAccountBytes) return superseded
  throw new AppError(
    'payload_too_large',
    `With this deploy, account ${accountId} would use ${bytes} bytes, and ${maximumAccountBytes} is the most: deploy smaller files, or delete a project. Nothing was changed.`,
  )
}
