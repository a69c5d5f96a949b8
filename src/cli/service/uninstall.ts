/** `petstore service uninstall`: stops the service and removes its unit. */

import { rmSync } from 'node:fs'
import { storeConfig } from '../../config/config.ts'
import type { Command, Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'
import { assertRoot, getService } from './installed.ts'
import { runProgram, stopService } from './systemd.ts'

export const serviceUninstall: Command = {
  name: 'service uninstall',
  isLocal: true,
  hasNoStore: true,
  summary: 'stop the service and remove its unit; the data stays',
  details: 'It needs root. The data directory, the options, the executable and the user stay; their paths are printed.',
  examples: ['service uninstall', 'service uninstall --environment staging'],
  async run({ values, terminal }: Invocation) {
    const service = getService(storeConfig(values).environment)
    assertRoot(terminal, 'service uninstall')
    const { name, unitFile: unit, dataDirectory: folder, optionsFile, executable } = service
    const say = values['json'] === true ? terminal.err : terminal.out
    say(`Stopping the service ${name} and removing ${unit}.\n`)
    await stopService(service)
    await runProgram('systemctl', 'disable', '--quiet', `${name}.service`)
    rmSync(unit)
    await runProgram('systemctl', 'daemon-reload')
    print({ values, terminal }, { service: name, unit, folder, optionsFile, executable }, [
      '',
      'What stays:',
      '',
      `  ${folder}  the store and its backups`,
      `  ${optionsFile}  the options and secrets`,
      `  ${executable}  the executable`,
      `  the user ${name}, who owns the store`,
      '',
      `petstore service install uses all of it again. To delete the store for good: sudo rm -r ${folder}`,
    ])
    return 0
  },
}
