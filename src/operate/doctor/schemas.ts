/** The JSON forms of the status of the service and of its examination. */

import { Type } from '@sinclair/typebox'
import { countSchema, idSchema, nullable, timeSchema } from '../../api/schemas.ts'
import { System } from '../system/schemas.ts'
import { longestText } from './check.ts'

/** A name from a list to which later versions may add. */
const kindSchema = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 60, pattern: '^[a-z_]+$', description, examples: [example] })

const sentence = (description: string, example: string) =>
  Type.String({ maxLength: longestText, pattern: '^[^\\x00-\\x1F]*$', description, examples: [example] })

const { version, environment, address, folder } = System.properties

export const SystemStatus = Type.Object(
  {
    version,
    environment,
    startedAt: timeSchema('When the service was started.'),
    pid: nullable(countSchema('The id of its process; null if it is part of another program.', 4_711)),
    address,
    ports: Type.Array(
      Type.Object(
        {
          host: Type.String({
            minLength: 1,
            maxLength: 253,
            pattern: '^[^\\x00-\\x20]+$',
            description: 'The address on which it listens; `::` is every address.',
            examples: ['127.0.0.1'],
          }),
          port: Type.Integer({
            format: 'int32',
            minimum: 1,
            maximum: 65_535,
            description: 'The port.',
            examples: [8080],
          }),
          use: Type.String({
            minLength: 1,
            maxLength: 20,
            pattern: '^[A-Z]+$',
            description: '`API` is the port of `--port`; `HTTP` and `HTTPS` are the ports of websites.',
            examples: ['API'],
          }),
        },
        { title: 'ListeningPort', description: 'A port on which the service listens.' },
      ),
      { maxItems: 10, description: 'The ports on which the service listens.' },
    ),
    folder,
    lastHour: Type.Object(
      {
        requests: countSchema('All requests, including those to websites.'),
        rejected: countSchema('Requests with a status from 400 to 499.'),
        failed: countSchema('Requests with a status of 500 or more.'),
      },
      { title: 'LastHour', description: 'The requests of the last hour, or since the start.' },
    ),
    attention: Type.Array(
      Type.Object(
        {
          kind: kindSchema('What needs attention, as in the overview.', 'order_waiting'),
          id: nullable(idSchema('Id of the order, key or project; null if it concerns no record.')),
          since: timeSchema('The time since which it needs attention.'),
          message: sentence('What it is.', 'There is no new backup'),
          advice: sentence('What to do.', 'Make a backup now.'),
        },
        { title: 'StatusAttention', description: 'Something that needs attention, in words.' },
      ),
      { maxItems: 1_000, description: 'What needs attention, the oldest first.' },
    ),
    backups: Type.Object(
      {
        count: countSchema('The number of backups, without the copies that restores have made.'),
        nextAt: nullable(timeSchema('When the schedule makes the next one; null if it is off.')),
        newest: nullable(
          Type.Object(
            {
              name: Type.String({
                minLength: 1,
                maxLength: 100,
                pattern: '^[^\\x00-\\x1F/]+$',
                description: 'The name of its file.',
                examples: ['production-20261120T101500Z.db'],
              }),
              bytes: countSchema('Its size.', 7_340_032),
              createdAt: timeSchema('When it was made.'),
            },
            { title: 'NewestBackup', description: 'The newest backup.' },
          ),
        ),
      },
      { title: 'StatusBackups', description: 'The backups of the data directory.' },
    ),
  },
  { title: 'SystemStatus', description: 'The state of the service.' },
)

export const SystemChecks = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether nothing is wrong.', examples: [true] }),
    checks: Type.Array(
      Type.Object(
        {
          name: kindSchema('What was examined. Later versions may add others.', 'foreign_keys'),
          ok: nullable(
            Type.Boolean({ description: 'Whether it is in order; null if that is unknown.', examples: [true] }),
          ),
          message: sentence('What was found.', 'Every reference between records leads to a record.'),
          fix: nullable(sentence('What to do; null where nothing has to be done.', 'Run the newer petstore.')),
        },
        { title: 'SystemCheck', description: 'One check.' },
      ),
      { maxItems: 50, description: 'In the order in which they are shown.' },
    ),
  },
  { title: 'SystemChecks', description: 'The result of an examination.' },
)
