/** `petstore doctor`: examines a store and shows how to fix each fault. Changes nothing. */

import { checksWithoutServer } from '../../app/without-server.ts'
import { storeConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { printable } from '../../lib/log.ts'
import { bad, type Check, good, notKnown } from '../../operate/doctor/check.ts'
import { portsCheck } from '../../operate/doctor/machine.ts'
import type { Client } from '../client/api-client.ts'
import { expectStore, serverClient, withClient } from '../client/client.ts'
import { lossOf } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { localTime, paint, plural, print } from '../terminal/output.ts'
import { answerMs, type ServerStatus } from './status.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'examine the store and show how to fix it',
  details:
    'Examines the data directory and its space, the database, its totals, the files of websites, the clock, ports, the platform domain, certificates, backups, mail and limits. It prints a line for each check, with the fix for each fault. A running server examines itself; without one, or if it does not answer, the command examines the files. Nothing is changed. It exits with 1 if there is a fault.',
  examples: ['doctor', 'doctor --json', 'doctor --url https://api.shop.example'],
  async run(invocation: Invocation) {
    const { terminal, remote } = invocation
    const checks = remote
      ? await withClient(invocation, (client) => askServer(client, client))
      : await checkHere(invocation)
    const ok = checks.every((check) => check.ok !== false)
    print(invocation, { ok, checks }, describe(checks, terminal))
    return ok ? 0 : 1
  },
}

/** How long an examination by the server may take, in milliseconds. */
const examinationMs = 600_000

async function checkHere({ values, terminal }: Invocation): Promise<readonly Check[]> {
  const config = storeConfig(values)
  if (lossOf(config) === undefined) await expectStore(config)
  const { environment } = config
  const place = { databasePath: databasePath(config), environment }
  try {
    const checks = await checkByServer(place.databasePath)
    if (checks) return checks
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [
      bad('server', error.message, howToGoOn),
      ...(await checksWithoutServer(place, systemClock, terminal.isRoot)),
    ]
  }
  const checks = await checksWithoutServer(place, systemClock, terminal.isRoot)
  // A server that has started meanwhile may have changed what was read.
  return (await checkByServer(place.databasePath)) ?? [notKnown('server', 'No server runs on this store.'), ...checks]
}

const howToGoOn = 'Check its log. If this persists, restart it; if it does not stop, kill its process.'

/** Undefined if no server runs. */
async function checkByServer(path: string): Promise<readonly Check[] | undefined> {
  const client = await serverClient(path, answerMs)
  const patient = client && (await serverClient(path, examinationMs))
  if (client === undefined || patient === undefined) return undefined
  const { ports, pid } = await client.call<ServerStatus>('GET', '/system/status')
  const checks = await askServer(client, patient)
  // The sandbox of a service hides other processes from it, but not from this command.
  return checks.map((check) => (check.name === 'ports' && !check.ok && pid !== null ? portsCheck(ports, pid) : check))
}

/** Asks for the status first, because a server that is stuck does not answer that either. */
async function askServer(client: Client, patient: Client): Promise<readonly Check[]> {
  const { version, startedAt, pid } = await client.call<ServerStatus>('GET', '/system/status')
  const { checks } = await patient.call<{ checks: readonly Check[] }>('GET', '/system/checks')
  const process = pid === null ? '' : ` (process ${pid})`
  return [good('server', `petstore ${version} has been running since ${localTime(startedAt)}${process}.`), ...checks]
}

function describe(checks: readonly Check[], terminal: Terminal): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, ok, message, fix }) => {
    const mark = ok === null ? '–' : ok ? '✓' : '✗'
    const colour = ok === null ? 'dim' : ok ? 'green' : 'red'
    const label = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`.padEnd(width)
    return `${paint(mark, terminal.colours ? colour : undefined)} ${label}  ${printable(fix === null ? message : `${message} ${fix}`)}\n`
  })
  const faults = checks.filter(({ ok }) => ok === false).length
  const end = faults === 0 ? 'Nothing is wrong.' : `${plural(faults, 'fault')}.`
  return `${lines.join('')}${end}\n`
}
