/** The handlers of the endpoints of backups. */

import { basename } from 'node:path'
import { type AuditStore, auditContextOf } from '../../../access/audit/store.ts'
import type { Hold } from '../../../access/owner/hold.ts'
import type { OwnerStore } from '../../../access/owner/store.ts'
import { mount } from '../../../api/mount.ts'
import type { Principal } from '../../../api/principal.ts'
import type { EndpointParts } from '../../../api/route.ts'
import type { Writer } from '../../../database/writer.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Environment } from '../../../lib/environment.ts'
import { AppError } from '../../../lib/error.ts'
import type { Log } from '../../../lib/log.ts'
import type { BackupCopies } from '../away/create.ts'
import { type Backup, findBackup, isOfOtherStore, pageOfBackups } from '../folder.ts'
import { packed, packedName } from '../packed.ts'
import { readBackupName } from '../rules.ts'
import { backupEndpoints } from './endpoints.ts'
import type { BackupWork } from './work.ts'

export interface BackupRouteParts {
  readonly databasePath: string
  readonly environment: Environment
  readonly backupWork: BackupWork
  readonly backupCopies: Pick<BackupCopies, 'list' | 'recipients'>
  readonly hold: Hold
  readonly owner: Pick<OwnerStore, 'installation'>
  readonly audit: AuditStore
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
  readonly endpointParts: EndpointParts
}

export const backupRoutes = (parts: BackupRouteParts) => {
  const { databasePath, backupWork, backupCopies, hold, owner, audit, writer, clock, log } = parts
  const isInMemory = databasePath === ':memory:'

  function get(name: string) {
    const found = isInMemory ? undefined : findBackup(parts, name)
    if (!found) throw new AppError('not_found', `There is no backup ${name}.`)
    return found
  }

  function record(principal: Principal, action: string, name?: string): void {
    const { ownAccountId: accountId } = principal
    const details = name === undefined ? {} : { name }
    audit.add(auditContextOf(principal, clock), { action, accountId, details })
  }

  /** The download does not wait for the entry: a backup is needed most while nothing can be written. */
  function recordDownload(principal: Principal, name: string): void {
    writer
      .write(() => record(principal, 'backup.downloaded', name))
      .catch((error) =>
        log.warn('the audit log has no entry of a download', { backup: name, actor: principal.actor, error }),
      )
  }

  return mount(
    backupEndpoints,
    {
      listBackups({ cursorId = Number.POSITIVE_INFINITY, fetchLimit }) {
        if (isInMemory) return []
        const { backups, positions } = pageOfBackups(parts, cursorId, fetchLimit)
        const { storeId } = owner.installation()
        const records = backups.map((one) => ({ ...toBackup(one), isOfOtherStore: isOfOtherStore(one.file, storeId) }))
        return { records, ids: positions }
      },
      createBackup: ({ principal, once }) =>
        once(async (commit) => {
          const { damagedFiles, ...backup } = await backupWork.create()
          const body = { ...toBackup(backup), isOfOtherStore: false, damagedFiles }
          const { name } = body
          return commit(() => {
            record(principal, 'backup.created', name)
            return { body, location: `/v1/backups/${name}` }
          })
        }),
      async downloadBackup({ params: { name }, principal }) {
        const { file } = get(name)
        const recipients = backupCopies.recipients()
        const mediaType = recipients.length > 0 ? 'application/octet-stream' : 'application/x-tar'
        const open = () => {
          recordDownload(principal, name)
          const pieces = packed(file, recipients)
          return {
            next: async () => (await pieces.next()).value ?? undefined,
            close: () => void pieces.return(),
          }
        }
        return { mediaType, fileName: packedName(name, recipients), open }
      },
      async verifyBackup({ params: { name }, once }) {
        return once(async (_, respond) => {
          const { file } = get(name)
          const found = await backupWork.verify(file)
          if ('fault' in found) {
            const nothing = { animals: null, orders: null, keys: null, damagedFiles: null }
            return respond({ name, ok: false, fault: found.fault, ...nothing })
          }
          const { animals, orders, keys, damagedFiles } = found
          return respond({ name, ok: true, fault: null, animals, orders, keys, damagedFiles })
        })
      },
      listBackupCopies: async () => ({ copies: [...((await backupCopies.list()) ?? [])] }),
      confirmRestore({ principal }) {
        const sinceMs = hold.sinceMs()
        if (sinceMs === null) return { heldSince: null }
        hold.confirm()
        record(principal, 'backup.confirmed')
        return { heldSince: new Date(sinceMs).toISOString() }
      },
    },
    parts.endpointParts,
  )
}

function toBackup({ file, bytes, createdAt }: Backup) {
  const name = basename(file)
  return { name, bytes, createdAt, reason: readBackupName(name)?.reason ?? 'backup' }
}
