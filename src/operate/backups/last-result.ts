/**
 * The result of the last run of the schedule, or of the last copy to the bucket. It is reported even while nothing can
 * be stored.
 */

import type { AttentionItem } from '../../api/attention.ts'
import type { Writer } from '../../database/writer.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { BackupResult, BackupStore } from './schedule/store.ts'

interface LastResultParts {
  readonly backups: BackupStore
  readonly writer: Pick<Writer, 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

const works: Readonly<Record<BackupResult['kind'], string>> = {
  schedule: 'the scheduled backup',
  copy: 'copying backups to the bucket',
}

export function createLastResult({ backups, writer, clock, log }: LastResultParts, kind: BackupResult['kind']) {
  let unsaved: BackupResult | undefined
  const find = () => unsaved ?? backups.result(kind)

  return {
    find,
    /** Null before the first run. */
    view() {
      const result = find()
      return result ? { at: new Date(result.at).toISOString(), name: result.name, error: result.error } : null
    },
    /** Keeps a result, and runs `record` in the transaction that stores it. Never rejects because of the storage. */
    async keep(name: string | null, error: string | null, record: (nowMs: number) => void = () => {}): Promise<void> {
      const nowMs = clock.now()
      const failingSince = error === null ? null : (find()?.failingSince ?? nowMs)
      const result = { kind, at: nowMs, name, error, failingSince }
      unsaved = result
      try {
        await writer.write(() => {
          backups.saveResult(result)
          record(nowMs)
        })
        unsaved = undefined
      } catch (cause) {
        log.warn(`the result of ${works[kind]} could not be stored`, { error: cause })
      }
    },
    /** To be called in a transaction. */
    forget(): void {
      unsaved = undefined
      backups.forgetResult(kind)
    },
  }
}

/** What needs attention of a last result. */
export function resultAttention(last: BackupResult | undefined): AttentionItem[] {
  if (last === undefined || last.error === null || last.failingSince === null) return []
  const kind = last.kind === 'copy' ? 'backup_copy_failed' : 'backup_failed'
  return [{ kind, id: null, name: last.error, sinceMs: last.failingSince }]
}
