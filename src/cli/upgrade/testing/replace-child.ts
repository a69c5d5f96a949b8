/**
 * A process that replaces the executable of a service that does not run, for tests that kill it: bun replace-child.ts
 * FILE DIRECTORY.
 */

import { join } from 'node:path'
import { replace } from '../replace.ts'

const [file = '', directory = ''] = Bun.argv.slice(2)
const place = { databasePath: join(directory, 'data/production.db'), environment: 'production' } as const
const service = {
  name: 'petstore',
  executable: join(directory, 'bin/petstore'),
  stop: async () => {},
  start: async () => {},
}
await replace(file, place, service, () => {})
