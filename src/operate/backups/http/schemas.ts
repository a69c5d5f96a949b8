/** The JSON form of backups. */

import { Type } from '@sinclair/typebox'
import { countSchema, nullable, openEnum, timeSchema } from '../../../api/schemas.ts'
import { backupReasons } from '../rules.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'The name of the file in the directory of backups.',
  examples: ['production-20261120T101500Z.db'],
})

const records = (description: string) => nullable(countSchema(description, 312))

export const Backup = Type.Object(
  {
    name,
    bytes: countSchema('The size of the file of its database.', 4_194_304),
    createdAt: timeSchema('The time of the copy.'),
    reason: openEnum(backupReasons, {
      pattern: '^[a-z-]+$',
      description:
        'Why it was made: somebody requested it (`backup`), the schedule did, a newer version was about to change the store, or a restore to replace it. The files of sites are beside it in the directory `contents`, which the backups share.',
      examples: ['backup'],
    }),
    isOfOtherStore: Type.Boolean({
      description: 'Whether it is of another store, such as one that has lost its database and was given up.',
      examples: [false],
    }),
  },
  { title: 'Backup', description: 'A copy of the whole store.' },
)

const damagedFiles = 'The number of files of sites, certificates and keys that are missing or damaged'

export const CreatedBackup = Type.Object(
  { ...Backup.properties, damagedFiles: countSchema(`${damagedFiles}.`, 0) },
  { title: 'CreatedBackup', description: 'A new backup.' },
)

export const Backups = Type.Array(Backup, {
  title: 'Backups',
  description: 'A page of backups, the newest first.',
  maxItems: 100,
})

export const BackupCopies = Type.Object(
  {
    copies: Type.Array(
      Type.Object(
        {
          address: Type.String({
            minLength: 1,
            maxLength: 1_000,
            pattern: '^s3://',
            description: 'The address, for `petstore backup verify` and `restore`.',
            examples: ['s3://shop-backups/pets/production-scheduled-20261120T031500Z.db.age'],
          }),
          bytes: countSchema('The size of its file, without the contents that it shares.', 4_194_304),
          createdAt: timeSchema('The time of the backup.'),
        },
        { title: 'BackupCopy', description: 'A complete backup in the bucket.' },
      ),
      { maxItems: 10_000, description: 'The newest first; empty if there is no bucket.' },
    ),
  },
  { title: 'BackupCopies', description: 'The backups in the bucket.' },
)

export const ConfirmedRestore = Type.Object(
  {
    heldSince: nullable(timeSchema('When the backup was restored; null if the store was not on hold.')),
  },
  { title: 'ConfirmedRestore', description: 'A restored store whose owner has confirmed it.' },
)

export const VerifiedBackup = Type.Object(
  {
    name,
    ok: Type.Boolean({ description: 'Whether the file is undamaged and can be restored.', examples: [true] }),
    fault: nullable(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        pattern: '\\S',
        description: 'Why it cannot be restored; null if it can.',
        examples: ['it is damaged: its content does not match its checksum'],
      }),
    ),
    animals: records('The number of animals in it; null if it cannot be read.'),
    orders: records('The number of orders in it; null if it cannot be read.'),
    keys: records('The number of API keys in it; null if it cannot be read.'),
    damagedFiles: nullable(countSchema(`${damagedFiles}; null if it cannot be read.`, 0)),
  },
  {
    title: 'VerifiedBackup',
    description: 'The result of verifying a backup.',
    examples: [
      {
        name: 'production-20261120T101500Z.db',
        ok: true,
        fault: null,
        animals: 312,
        orders: 57,
        keys: 4,
        damagedFiles: 0,
      },
    ],
  },
)
