/** unbound, a recursive resolver, over a root of our own (package `unbound`). https://unbound.docs.nlnetlabs.nl/ */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPeer, peerDirectory, resolves, startPeer } from './peer.ts'

const program = findPeer('unbound')
const control = findPeer('unbound-control')
export const hasUnbound = program !== undefined && control !== undefined

export interface UnboundOptions {
  /** It listens on port 53 of this address. */
  readonly address: string
  /** The address of the server of the root, port 53. */
  readonly root: string
}

/** Resolves once it accepts queries; whether the root replies does not matter. */
export async function startUnbound({ address, root }: UnboundOptions) {
  const directory = peerDirectory('unbound')
  const path = join(directory.path, 'unbound.conf')
  writeFileSync(
    path,
    `server:
  directory: "${directory.path}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  interface: ${address}
  port: 53
  access-control: 127.0.0.0/8 allow
  do-ip6: no
  do-daemonize: no
  do-not-query-localhost: no
  # No trust anchor: the zones are not signed.
  module-config: "iterator"
  # Tests change records and look again.
  cache-max-ttl: 0
  cache-max-negative-ttl: 0
  infra-host-ttl: 0
remote-control:
  control-enable: yes
  control-interface: "${join(directory.path, 'control')}"
  control-use-cert: no
stub-zone:
  name: "."
  stub-addr: ${root}
  stub-prime: no
`,
  )
  const server = await startPeer({
    command: [program ?? '', '-d', '-p', '-c', path],
    isReady: () => resolves(address, 'localhost', 'A'),
  })
  return {
    address,
    output: server.output,
    /** Drops everything that it has cached: it keeps a record for the rest of the second even without a TTL. */
    async flush(): Promise<void> {
      const { exited } = Bun.spawn([control ?? '', '-c', path, 'flush_zone', '.'], {
        stdout: 'ignore',
        stderr: 'ignore',
      })
      if ((await exited) !== 0) throw new Error('unbound-control failed')
    },
    async stop(): Promise<void> {
      await server.stop()
      directory.remove()
    },
  }
}
export type Unbound = Awaited<ReturnType<typeof startUnbound>>
