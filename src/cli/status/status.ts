/** `petstore status`: what runs, and what needs attention. */

import { dirname } from 'node:path'
import { statusWithoutServer } from '../../app/without-server.ts'
import { storeConfig } from '../../config/config.ts'
import { databasePath } from '../../database/environment.ts'
import { systemClock } from '../../lib/clock.ts'
import { printable } from '../../lib/log.ts'
import { version } from '../../lib/version.ts'
import type { ServicePort } from '../../operate/doctor/machine.ts'
import type { LastHour } from '../../operate/metrics/requests.ts'
import { expectStore, serverClient, withClient } from '../client/client.ts'
import { lossOf } from '../client/local.ts'
import type { Command, Invocation } from '../command.ts'
import { ago, count, formatPairs, localTime, print } from '../terminal/output.ts'

/** What `GET /v1/system/status` responds with. */
export interface ServerStatus extends StoreStatus {
  readonly startedAt: string
  readonly pid: number | null
  readonly address: string | null
  readonly ports: readonly ServicePort[]
  readonly lastHour: LastHour
}

/** What is known without a server, too. */
interface StoreStatus {
  readonly version: string
  readonly environment: string
  readonly folder: string | null
  readonly attention: readonly { readonly since: string; readonly message: string; readonly advice: string }[]
  readonly backups: {
    readonly count: number
    readonly nextAt: string | null
    readonly newest: { readonly createdAt: string } | null
  }
}

/** How long the server may take to answer, in milliseconds: usually it answers at once. */
export const answerMs = 3_000

export const status: Command = {
  name: 'status',
  summary: 'show what runs and what needs attention',
  details:
    'Asks the server for its start time, addresses and ports, the requests and errors of the last hour, what needs attention, and the newest backup. Without a server it reads the files, and changes none.',
  examples: ['status', 'status --json', 'status --url https://api.shop.example'],
  async run(invocation: Invocation) {
    const { server, store } = await statusOf(invocation)
    const json = { running: server !== undefined, ...(server ?? store) }
    print(invocation, json, describe(server, store))
    return 0
  },
}

async function statusOf(invocation: Invocation): Promise<{ server: ServerStatus | undefined; store: StoreStatus }> {
  const { values, remote } = invocation
  if (remote) {
    const server = await withClient(invocation, (client) => client.call<ServerStatus>('GET', '/system/status'))
    return { server, store: server }
  }
  const config = storeConfig(values)
  if (lossOf(config) === undefined) await expectStore(config)
  const path = databasePath(config)
  const client = await serverClient(path, answerMs)
  const server = await client?.call<ServerStatus>('GET', '/system/status')
  if (server) return { server, store: server }
  const { environment } = config
  const known = statusWithoutServer({ databasePath: path, environment }, systemClock)
  return { server, store: { version, environment, folder: dirname(path), ...known } }
}

/** How many things are listed. */
const listedItems = 10

function describe(server: ServerStatus | undefined, store: StoreStatus): string {
  const { environment, folder, attention, backups } = store
  const { newest, nextAt } = backups
  const next = nextAt === null ? '' : `, the next at ${localTime(nextAt)}`
  const rows: (readonly [string, string])[] = [
    ...(server ? serverRows(server) : [['Server', `none runs on this store (${environment})`] as const]),
    ['Data', folder ?? 'in memory'],
    [
      'Backups',
      `${newest ? `${ago(newest.createdAt, systemClock.now())}, ${backups.count} in all` : 'none yet'}${next}`,
    ],
    ['Attention', attention.length === 0 ? 'nothing needs it' : String(attention.length)],
  ]
  const items = attention
    .slice(0, listedItems)
    .map(({ since, message, advice }) => `  ${printable(message)}, since ${localTime(since)}. ${printable(advice)}\n`)
  const more = attention.length - listedItems
  return `${formatPairs(rows)}${items.join('')}${more > 0 ? `  and ${more} more: see the dashboard\n` : ''}`
}

function serverRows({ version: running, environment, startedAt, pid, address, ports, lastHour }: ServerStatus) {
  const { requests, rejected, failed } = lastHour
  return [
    [
      'Server',
      `petstore ${running} (${environment}), since ${localTime(startedAt)}${pid === null ? '' : `, process ${pid}`}`,
    ],
    ['Address', address ?? 'none'],
    ['Ports', ports.map(({ host, port, use }) => `${use} on ${port} of ${host}`).join(', ') || 'none'],
    ['Last hour', `${count(requests)} requests, ${count(rejected)} rejected (4xx), ${count(failed)} failed (5xx)`],
  ] as const
}
