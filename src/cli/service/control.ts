/** `petstore service status`, `restart` and `uninstall`. */

import { rmSync } from 'node:fs'
import { storeConfig } from '../../config/config.ts'
import type { Command, Invocation } from '../command.ts'
import { formatPairs, localTime, print } from '../output.ts'
import { assertRoot, getService } from './installed.ts'
import { runProgram, type ServiceState, startService, stateOf, stopService } from './systemd.ts'
import type { Service } from './unit.ts'

const shared = { isLocal: true, hasNoStore: true } as const

export const serviceStatus: Command = {
  ...shared,
  name: 'service status',
  summary: 'show whether the service runs, and where its files are',
  details: 'It exits with 1 if the service does not run. It needs no root.',
  examples: ['service status', 'service status --environment staging --json'],
  async run({ values, terminal }: Invocation) {
    const service = getService(storeConfig(values).environment)
    const state = await stateOf(service)
    const { name, dataDirectory: folder, storeId, executable, unitFile: unit, optionsFile } = service
    const { active, isEnabled: startsWithMachine, since, pid, restarts } = state
    const record = { service: name, state: active, since, pid, restarts, startsWithMachine }
    const places = { folder, storeId, executable, unit, optionsFile }
    print({ values, terminal }, { ...record, ...places }, describeService(service, state))
    return active === 'active' ? 0 : 1
  },
}

const words: Readonly<Record<string, string>> = {
  active: 'runs',
  activating: 'starts, or starts again after a failure',
  deactivating: 'stops',
  inactive: 'stopped',
  failed: 'failed',
}

function describeService(service: Service, { active, isEnabled, since, pid, restarts }: ServiceState): string {
  const { name, dataDirectory, executable, unitFile, optionsFile } = service
  const isRunning = since === null ? '' : ` since ${localTime(since)}, process ${pid}`
  return formatPairs([
    ['Service', name],
    ['State', `${words[active] ?? active}${isRunning}${restarts > 0 ? `, restarted ${restarts} times` : ''}`],
    ['At boot', isEnabled ? 'starts' : `does not start: sudo systemctl enable ${name}`],
    ['Data', dataDirectory],
    ['Executable', executable],
    ['Options', optionsFile],
    ['Unit', unitFile],
  ])
}

export const serviceRestart: Command = {
  ...shared,
  name: 'service restart',
  summary: 'restart the service, and wait until it is ready',
  details: 'It needs root. If the service does not start, the error has the last line of its log.',
  examples: ['service restart', 'service restart --environment staging'],
  async run({ values, terminal }: Invocation) {
    const service = getService(storeConfig(values).environment)
    assertRoot(terminal, 'service restart')
    await startService(service)
    print({ values, terminal }, { service: service.name }, `The service ${service.name} runs.`)
    return 0
  },
}

export const serviceUninstall: Command = {
  ...shared,
  name: 'service uninstall',
  summary: 'stop the service and remove its unit; the data stays',
  details:
    'It needs root. The data directory, the options, the executable and the user stay, and it says where they are.',
  examples: ['service uninstall', 'service uninstall --environment staging'],
  async run({ values, terminal }: Invocation) {
    const service = getService(storeConfig(values).environment)
    assertRoot(terminal, 'service uninstall')
    const { name, unitFile: unit, dataDirectory: folder, optionsFile, executable } = service
    const say = values['json'] === true ? terminal.err : terminal.out
    say(`The service ${name} is stopped, and ${unit} is removed.\n`)
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
      `petstore service install takes all of it up again. To delete the store for good: sudo rm -r ${folder}`,
    ])
    return 0
  },
}
