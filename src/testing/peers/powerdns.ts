/**
 * PowerDNS as every authoritative server at once: root, top-level domain and customers' zones (packages `pdns-server`
 * and `pdns-backend-bind`). It replaces ALIAS records by the addresses of their targets.
 * https://doc.powerdns.com/authoritative/
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPeer, peerDirectory, resolves, startPeer } from './peer.ts'

const program = findPeer('pdns_server')
const control = findPeer('pdns_control')
export const hasPowerDns = program !== undefined && control !== undefined

/**
 * The records of each zone, in the form of zone files (`www 60 IN CNAME target.example.`), without SOA and NS. The root
 * is the zone `.`.
 */
export type Zones = Readonly<Record<string, readonly string[]>>

export interface PowerDnsOptions {
  /** The address of the name server of all zones, which listens on port 53. */
  readonly address: string
  readonly zones: Zones
  /** The recursive resolver for the targets of ALIAS records. */
  readonly resolver: string
}

export async function startPowerDns({ address, zones, resolver }: PowerDnsOptions) {
  const directory = peerDirectory('powerdns')
  const fileOf = (zone: string) => join(directory.path, `${zone === '.' ? 'root' : zone}.zone`)
  let serial = 1
  const write = (zone: string, records: readonly string[]) =>
    writeFileSync(fileOf(zone), zoneFile(zone, address, serial++, records))
  for (const [zone, records] of Object.entries(zones)) write(zone, records)
  const sockets = join(directory.path, 'sockets')
  mkdirSync(sockets)
  const declared = Object.keys(zones).map((zone) => `zone "${zone}" { type native; file "${fileOf(zone)}"; };`)
  writeFileSync(join(directory.path, 'named.conf'), `${declared.join('\n')}\n`)
  writeFileSync(
    join(directory.path, 'pdns.conf'),
    [
      'launch=bind',
      `bind-config=${join(directory.path, 'named.conf')}`,
      `local-address=${address}`,
      'local-port=53',
      `socket-dir=${sockets}`,
      'expand-alias=yes',
      `resolver=${resolver}`,
      'cache-ttl=0',
      'query-cache-ttl=0',
      'negquery-cache-ttl=0',
      // Otherwise the server reports its version to its developers at each start.
      'security-poll-suffix=',
      'setuid=',
      'setgid=',
      'daemon=no',
      'guardian=no',
      '',
    ].join('\n'),
  )
  const server = await startPeer({
    command: [program ?? '', `--config-dir=${directory.path}`],
    isReady: () => resolves(address, Object.keys(zones)[0] ?? '.', 'SOA'),
  })
  return {
    address,
    output: server.output,
    /** Replaces the records of a zone that it has. */
    async change(zone: string, records: readonly string[]): Promise<void> {
      write(zone, records)
      const { exited, stdout } = Bun.spawn(
        [control ?? '', `--config-dir=${directory.path}`, `--socket-dir=${sockets}`, 'bind-reload-now', zone],
        { stdout: 'pipe', stderr: 'ignore' },
      )
      const text = await new Response(stdout).text()
      if ((await exited) !== 0) throw new Error(`pdns_control: ${text}`)
    },
    async stop(): Promise<void> {
      await server.stop()
      directory.remove()
    },
  }
}
export type PowerDns = Awaited<ReturnType<typeof startPowerDns>>

function zoneFile(zone: string, address: string, serial: number, records: readonly string[]): string {
  const suffix = zone === '.' ? '.' : `.${zone}.`
  return [
    `$ORIGIN ${zone === '.' ? '.' : `${zone}.`}`,
    '$TTL 1',
    `@ IN SOA ns1${suffix} hostmaster${suffix} ${serial} 3600 600 86400 1`,
    `@ IN NS ns1${suffix}`,
    `ns1${suffix} IN A ${address}`,
    ...records,
    '',
  ].join('\n')
}
