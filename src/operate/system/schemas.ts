/** The JSON form of the settings of the service. */

import { Type } from '@sinclair/typebox'
import { countSchema, nullable, openEnum, stringEnum, timeSchema } from '../../api/schemas.ts'
import { Certificate } from '../../hosting/projects/schemas.ts'
import { containerEngines } from '../../lib/container.ts'
import { environments } from '../../lib/environment.ts'

/** Who starts the process: systemd (`petstore service`), a container engine, or a person. */
export const runsAs = ['service', 'container', 'program'] as const
export type RunsAs = (typeof runsAs)[number]

export const System = Type.Object(
  {
    version: Type.String({
      minLength: 1,
      maxLength: 40,
      pattern: '^[0-9A-Za-z.+-]+$',
      description: 'The version of petstore.',
      examples: ['1.0.0'],
    }),
    environment: stringEnum(environments, { description: 'The environment.', examples: ['production'] }),
    address: nullable(
      Type.String({
        format: 'uri',
        maxLength: 2_000,
        description: 'The address of the API without `/v1`; null if no listener runs.',
        examples: ['http://127.0.0.1:8080'],
      }),
    ),
    sitesDomain: nullable(
      Type.String({
        format: 'hostname',
        maxLength: 253,
        description:
          'The domain below which projects have their addresses; null if hosting is off (`serve --platform-domain`).',
        examples: ['stores.example'],
      }),
    ),
    certificate: nullable({
      ...Certificate,
      description:
        'The certificate of `api.` below the platform domain. Null if hosting is off, if a proxy ends TLS, and if your own certificate covers the platform.',
    }),
    executable: nullable(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        pattern: '^[^\\x00]+$',
        description: 'The path of the executable that runs; null if the service runs from its source.',
        examples: ['/usr/local/bin/petstore'],
      }),
    ),
    runsAs: openEnum(runsAs, {
      description:
        'Whether it runs as a service of the machine (`petstore service`), in a container, or was started by hand.',
      examples: ['service'],
    }),
    container: nullable(
      Type.Object(
        {
          engine: openEnum(containerEngines, {
            pattern: '^[a-z]+$',
            description: 'The engine of the container.',
            examples: ['docker'],
          }),
          id: Type.String({
            pattern: '^[0-9a-f]{64}$',
            minLength: 64,
            maxLength: 64,
            description: 'The id of the container.',
            examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
          }),
        },
        {
          title: 'Container',
          description:
            'The container in which the service runs; null if there is none, or if its engine does not reveal it.',
        },
      ),
    ),
    folder: nullable(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        pattern: '^[^\\x00]+$',
        description: 'The data directory; null for a store in memory.',
        examples: ['/srv/petstore'],
      }),
    ),
    heldSince: nullable(
      timeSchema(
        'When a backup of another machine was restored here. Until the owner confirms it (`POST /v1/backups/confirm`), the store is on hold: it orders no certificates and sends no mail and no webhooks. Null if the store is not on hold.',
      ),
    ),
    bytes: countSchema('The size of all files in the data directory, to within ten seconds.', 14_680_064),
  },
  { title: 'System', description: 'The settings of the service.' },
)
