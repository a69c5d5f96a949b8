/** `petstore upgrade`: tries a newer petstore on a copy of the store, then replaces the executable of the service. */

import { resolve } from 'node:path'
import { storeConfig } from '../../config/config.ts'
import { lockFile } from '../../database/lock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import type { StorePlace } from '../../operate/backups/folder.ts'
import { assertStore, placeOf } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { assertRoot, findService } from '../service/installed.ts'
import { startService, stopService } from '../service/systemd.ts'
import { print } from '../terminal/output.ts'
import { askVersion, nameOf, schemaOf } from './executable.ts'
import { replace } from './replace.ts'
import { tryExecutable } from './trial.ts'

export const upgrade: Command = {
  name: 'upgrade',
  isLocal: true,
  summary: 'replace petstore with a newer one, after a trial on a copy of the store',
  details:
    'FILE is the new executable. It is tried on a copy of the store while the old one keeps serving. Then the service is stopped, the store backed up, the executable replaced and the service started. If the new one does not become ready, the old one and the backup are put back. Without a service it only tries the new executable, and prints what to do.',
  operands: 'FILE',
  arity: [1, 1],
  completes: 'file',
  examples: ['upgrade ./petstore-linux-x64', 'upgrade ./petstore-linux-x64 --environment staging'],
  async run({ values, positionals, terminal }: Invocation) {
    const file = resolve(positionals[0] ?? '')
    const config = storeConfig(values)
    assertStore(config)
    const place = placeOf(config)
    const installed = findService(config.environment)
    const service = installed?.dataDirectory === config.dataDirectory ? installed : undefined
    if (service) assertRoot(terminal, `upgrade ${positionals[0]}`)
    const say = (line: string) => void terminal.err(`petstore: ${printable(line)}\n`)
    // The trial of another upgrade has the same directory, and its replacement the same executables.
    const unlock = lockFile(`${place.databasePath}-upgrade`, {
      timeoutMs: 0,
      message: 'An upgrade is under way: wait until it has ended. Nothing was changed.',
    })
    try {
      const found = await askVersion(file)
      assertNotOlder(place, found.databaseVersion)
      say(`Trying ${nameOf(found)} on a copy of ${place.databasePath}.`)
      await tryExecutable(file, found, place)
      if (service === undefined) {
        const words = advice(printable(file), printable(nameOf(found)))
        print({ values, terminal }, { ...found, works: true, service: null }, words)
        return 0
      }
      terminal.onStop(() => say('The service is being upgraded. Wait until the upgrade has ended.'))
      const control = { ...service, stop: () => stopService(service), start: () => startService(service) }
      const { previous, backup } = await replace(file, place, control, say)
      const result = { ...found, works: true, service: service.name, executable: service.executable, previous, backup }
      const lines = [
        `The service ${service.name} runs ${nameOf(found)}.`,
        `The old executable is ${previous}, and the store before the upgrade ${backup}.`,
      ]
      print({ values, terminal }, result, lines)
      return 0
    } finally {
      unlock()
    }
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
