/** The endpoints of backups. */

import { created, endpoint, file, gathered, page, performed } from '../../../api/endpoint.ts'
import { fileNameParameter } from '../../../api/parameters.ts'
import { BackupCopies, Backups, ConfirmedRestore, CreatedBackup, VerifiedBackup } from './schemas.ts'

const params = { name: fileNameParameter('The name of a backup.') }
const common = { tag: 'system', scope: 'admin', stability: 'beta' } as const

export const backupEndpoints = {
  listBackups: endpoint({
    ...common,
    method: 'GET',
    path: '/backups',
    summary: 'List backups',
    description:
      'Returns a page of the backups in the data directory, the newest first, with the copies that restores have made of the store before.',
    success: page(Backups, { description: 'A page of backups.', cursorName: 'backups' }),
  }),
  createBackup: endpoint({
    ...common,
    method: 'POST',
    path: '/backups',
    summary: 'Create a backup',
    description:
      'Copies the whole store as it is at one moment into the directory of backups, and verifies the copy. Other requests are served meanwhile. The backup contains the keys of all accounts and the password of the owner as hashes. `petstore backup restore` restores it.',
    success: created(CreatedBackup, { description: 'The backup.', inSteps: true }),
    errors: ['conflict'],
  }),
  downloadBackup: endpoint({
    ...common,
    method: 'GET',
    path: '/backups/{name}',
    params,
    summary: 'Download a backup',
    description:
      'Sends a backup with the files of its sites, packed into one file: a tar archive, encrypted in the format of age if recipients are set. `petstore backup restore` takes it. Downloads are recorded in the audit log, or in the log of the service if the database cannot be written.',
    success: file({
      description: 'The packed backup.',
      mediaTypes: ['application/x-tar', 'application/octet-stream'],
      isMadeAnew: true,
    }),
  }),
  verifyBackup: endpoint({
    ...common,
    method: 'POST',
    path: '/backups/{name}/verify',
    params,
    summary: 'Verify a backup',
    description:
      'Checks whether a backup is undamaged and can be restored, and counts its records. If the verification is interrupted, there is no result: the status is 503.',
    success: performed(VerifiedBackup, { description: 'The result.', isUnconditional: true, inSteps: true }),
    errors: ['conflict'],
  }),
  listBackupCopies: endpoint({
    ...common,
    method: 'GET',
    path: '/backups/copies',
    summary: 'List the copies in the bucket',
    description:
      'Returns the complete backups in the bucket (`serve --backup-s3`, or the settings), the newest first, as the bucket lists them now. The status is 503 with the reason if it cannot be read within 30 seconds.',
    success: gathered(BackupCopies, { description: 'The copies.' }),
  }),
  confirmRestore: endpoint({
    ...common,
    method: 'POST',
    path: '/backups/confirm',
    summary: 'Confirm a restored store',
    description:
      'A store that was restored on another machine is on hold: it orders no certificates and sends no mail, no webhooks and no copies of backups, since the old machine may still run it. This operation confirms that this machine runs the store now, and ends the hold. `petstore backup confirm` does the same.',
    success: performed(ConfirmedRestore, { description: 'The state before.', isUnconditional: true }),
  }),
}
