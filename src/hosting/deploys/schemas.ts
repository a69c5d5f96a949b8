/** The JSON form of deploys. */

import { type Static, Type } from '@sinclair/typebox'
import { idSchema, nullable, timeOrNull, timeSchema } from '../../api/schemas.ts'
import { archiveLimits } from './archive/unpack.ts'
import type { DeployRow } from './store.ts'

export const Deploy = Type.Object(
  {
    id: idSchema('Unique identifier, assigned by the service. A later deploy has a higher one.'),
    projectId: idSchema('The project that the deploy belongs to.'),
    createdAt: timeSchema('When the deploy was created.'),
    createdBy: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[a-z]+(:[0-9]+)?$',
      description:
        'Who created the deploy, as in the audit log: `key:<id>` for an API key, `owner`, or `command`. Later versions may add others.',
      examples: ['key:1'],
    }),
    fileCount: Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: archiveLimits.files,
      description: 'The number of files that the deploy serves.',
      examples: [12],
    }),
    bytes: Type.Integer({
      format: 'int64',
      minimum: 0,
      maximum: archiveLimits.bytes,
      description: 'The size of all files together, unpacked.',
      examples: [48_213],
    }),
    hasHomePage: Type.Boolean({
      description:
        'Whether there is an `index.html` at the top of the website. Without one, its home page is not found.',
      examples: [true],
    }),
    isLive: Type.Boolean({ description: 'Whether the project serves this deploy now.', examples: [true] }),
    liveAt: timeSchema('When the deploy last went live.'),
    promotedAt: nullable(
      timeSchema('When the deploy was last promoted; null if it went live only when it was created.'),
    ),
  },
  {
    title: 'Deploy',
    description: 'A set of files that a project served or serves.',
    examples: [
      {
        id: 5,
        projectId: 1,
        createdAt: '2026-11-20T10:15:00.000Z',
        createdBy: 'key:3',
        fileCount: 12,
        bytes: 48_213,
        hasHomePage: true,
        isLive: true,
        liveAt: '2026-11-20T10:15:00.000Z',
        promotedAt: null,
      },
    ],
  },
)
export type Deploy = Static<typeof Deploy>

export const Deploys = Type.Array(Deploy, { title: 'Deploys', description: 'A page of deploys.', maxItems: 100 })

/** A deploy as the API shows it. */
export function toDeploy(row: DeployRow, liveDeployId: number | null): Deploy {
  const { id, projectId, createdAt, createdBy, fileCount, bytes, hasHomePage, liveAt, promotedAt } = row
  return {
    id,
    projectId,
    createdAt: new Date(createdAt).toISOString(),
    createdBy,
    fileCount,
    bytes,
    hasHomePage,
    isLive: id === liveDeployId,
    liveAt: new Date(liveAt ?? createdAt).toISOString(),
    promotedAt: timeOrNull(promotedAt),
  }
}
