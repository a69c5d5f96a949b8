/** `petstore version`. */

import { currentVersion as databaseVersion } from '../database/migrate.ts'
import { commit, version as current } from '../lib/version.ts'
import type { Command, Invocation } from './command.ts'
import { print } from './terminal/output.ts'

export const version: Command = {
  name: 'version',
  isLocal: true,
  hasNoStore: true,
  summary: 'print the version',
  details: 'It names the commit that the executable was built from, and the version of the databases that it makes.',
  examples: ['version', 'version --json'],
  run({ values, terminal }: Invocation) {
    const built = commit === undefined ? '' : `commit ${commit}, `
    const line = `petstore ${current} (${built}database version ${databaseVersion})`
    const result = { version: current, commit: commit ?? null, databaseVersion }
    print({ values, terminal }, result, line)
    return 0
  },
}
