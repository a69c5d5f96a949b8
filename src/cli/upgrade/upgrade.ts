/** `petstore upgrade`: tries a newer petstore on a copy of the store. */

import { resolve } from 'node:path'
import { storeConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import type { Command, Invocation } from '../command.ts'
import { missingStore, storeExists } from '../store.ts'
import { askVersion, nameOf, schemaOf } from './executable.ts'
import { tryExecutable } from './trial.ts'

export const upgrade: Command = {
  name: 'upgrade',
  isLocal: true,
  summary: 'try a newer petstore on a copy of the store',
  details:
    'FILE is the new executable. It has to migrate a copy of the store, leave it whole and become ready, while the old one serves.',
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  examples: ['upgrade ./petstore-linux-x64', 'upgrade ./petstore-linux-x64 --environment staging'],
  async run({ values, positionals, terminal }: Invocation) {
    const file = resolve(positionals[0] ?? '')
    const config = storeConfig(values)
    if (!storeExists(config)) throw missingStore(config)
    const place = { databasePath: databasePath(config), environment: config.environment }
    const say = (line: string) => void terminal.err(`petstore: ${printable(line)}\n`)

    const found = await askVersion(file)
    assertNotOlder(place, found.databaseVersion)
    say(`Trying ${nameOf(found)} on a copy of ${place.databasePath}.`)
    await tryExecutable(file, found, place)
    const result = { ...found, works: true }
    terminal.out(
      values['json'] === true ? `${JSON.stringify(result)}\n` : advice(printable(file), printable(nameOf(found))),
    )
    return 0
  },
}

function assertNotOlder({ databasePath }: StorePlace, databaseVersion: number): void {
  const present = schemaOf(databasePath)
  if (databaseVersion >= present) return
  const message = `The store has database version ${present}, and that petstore supports version ${databaseVersion}: it is older. Nothing was changed.`
  throw new AppError('conflict', `${message} docs/guide/upgrade.md says how to go back.`)
}

function advice(file: string, name: string): string {
  return `${name} works on a copy of the store.

There is no service of this store on this machine. To upgrade:

1. Stop the server.
2. Put ${file} in the place of the old executable.
3. Start the server again. It backs the store up before it migrates it.
`
}
