/** PostgreSQL (package `postgresql`). */

import { chmodSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Glob, SQL } from 'bun'
import { freePort, peerDirectory, startPeer } from './peer.ts'

/** The directory of the programs of the newest version, which Debian does not put on the PATH. */
const [programs] = [...new Glob('/usr/lib/postgresql/*/bin/').scanSync({ cwd: '/', onlyFiles: false })].sort().reverse()
export const hasPostgres = programs !== undefined
if (!hasPostgres) console.error('SKIPPED: tests with PostgreSQL need the Debian package postgresql.')

/** It refuses to run as root: the package has made a user for it. */
const asItsUser = userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []

/** A server with an empty database. Resolves once it accepts connections. */
export async function startPostgres() {
  const directory = peerDirectory('postgres')
  chmodSync(directory.path, 0o777)
  const data = join(directory.path, 'data')
  const command = (program: string, ...args: string[]) => [
    ...asItsUser,
    join(programs ?? '', program),
    '-D',
    data,
    ...args,
  ]
  const made = Bun.spawnSync(command('initdb', '-U', 'mirror', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'))
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort('127.0.0.1')
  const url = `postgres://mirror@127.0.0.1:${port}/postgres`
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const server = await startPeer({
    command: command('postgres', '-p', `${port}`, ...options.flatMap((option) => ['-c', option])),
    isReady: async () => {
      await using sql = new SQL(url)
      await sql`select 1`
      return true
    },
  })
  return {
    url,
    async stop(): Promise<void> {
      await server.stop()
      directory.remove()
    },
  }
}
