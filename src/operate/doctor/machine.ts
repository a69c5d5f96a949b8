/** Checks of the machine: the data directory and its disk, the ports, and the limit of descriptors. */

import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { byteSize } from '../../lib/byte-size.ts'
import { isSystemError, systemReason } from '../../lib/system-error.ts'
import { isLow, spaceOf } from '../overview/machine.ts'
import { bad, type Check, good, notKnown } from './check.ts'
import { hasSocket, holderOf, holderWords, socketsOnPort } from './sockets.ts'

/** A port of the service. */
export interface ServicePort {
  /** The address on which it listens; `::` is every address. */
  readonly host: string
  readonly port: number
  /** What it serves: the API and the dashboard, or websites. */
  readonly use: 'API' | 'HTTP' | 'HTTPS'
}

/**
 * Checks that this process can read and write the files of the store. Root may use every file: without a server, the
 * files must then belong to the owner of the directory, the user as whom a service runs.
 */
export function directoryCheck(databasePath: string, isForOwner: boolean): Check {
  const directory = dirname(databasePath)
  try {
    const { uid, gid } = statSync(directory)
    for (const path of pathsOf(databasePath)) {
      const fault = accessFault(path, isForOwner ? uid : undefined)
      if (fault === undefined) continue
      const fix = `Give all files of the store to the user that runs petstore: sudo chown -R ${uid}:${gid} ${directory}, or for a service: sudo petstore service install`
      return bad('data_directory', `${path} cannot be used: ${fault}.`, fix)
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    const fix = 'Make it readable and writable for the user that runs petstore, or run the command with sudo.'
    return bad('data_directory', `${directory} cannot be used: ${systemReason(error)}.`, fix)
  }
  return good('data_directory', `${directory} can be read and written.`)
}

/** The data directory, the files and directories of the store, and the entries of these directories. */
function* pathsOf(databasePath: string): Generator<string> {
  const directory = dirname(databasePath)
  const stem = basename(databasePath, '.db')
  yield directory
  for (const name of readdirSync(directory).filter((one) => one.startsWith(stem) || one === 'backups')) {
    const path = join(directory, name)
    yield path
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue
    for (const inner of readdirSync(path)) yield join(path, inner)
  }
}

/**
 * Why this process, or the user with the id if one is given, may not use a file; undefined if it may, or if there is no
 * such file.
 */
function accessFault(path: string, uid: number | undefined): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const { R_OK, W_OK, X_OK } = constants
  const mode = R_OK | W_OK | (found.isDirectory() ? X_OK : 0)
  const owner = `its owner is the user ${found.uid}, and its mode is ${(found.mode & 0o777).toString(8)}`
  try {
    accessSync(path, mode)
  } catch (error) {
    return `${systemReason(error)}; ${owner}`
  }
  // Root may use every file.
  const isUsable = uid === undefined || (found.uid === uid && ((found.mode >> 6) & mode) === mode)
  return isUsable ? undefined : owner
}

export function spaceCheck(databasePath: string): Check {
  const directory = dirname(databasePath)
  try {
    const space = spaceOf(directory)
    const message = `${byteSize(space.freeBytes)} of ${byteSize(space.totalBytes)} are free on the disk of ${directory}.`
    if (!isLow(space)) return good('space', message)
    return bad(
      'space',
      message,
      '5 % and 1 GiB should be free. Delete what is not needed, such as old backups and logs, or move the store to a larger disk.',
    )
  } catch (error) {
    return notKnown('space', `The disk of ${directory} cannot be examined: ${systemReason(error)}.`)
  }
}

/**
 * Checks that no other process uses a port of the service: of the server with the process id `server`, or without one
 * the ports that a start would need.
 */
export function portsCheck(ports: readonly ServicePort[], server: number | 'self' | undefined): Check {
  const sockets = ports.map(({ host, port }) => socketsOnPort(port, host))
  if (sockets.includes(undefined)) return notKnown('ports', 'This system does not show which program uses a port.')
  const taken = ports.flatMap(({ port, use }, i) => {
    const [other] = (sockets[i] ?? []).filter((socket) => server === undefined || !hasSocket(server, socket))
    return other === undefined ? [] : [`port ${port} (${use}) is used by ${holderWords(holderOf(other))}`]
  })
  const names = ports.map(({ port, use }) => `${port} (${use})`).join(', ')
  if (taken.length === 0) {
    return good('ports', server !== undefined ? `The server listens on ${names}.` : `Free for a start: ${names}.`)
  }
  const message = `${taken.join(', ')}.`
  const fix = 'Stop that program, or choose another port with --port, --http-port or --https-port.'
  return bad('ports', message.charAt(0).toUpperCase() + message.slice(1), fix)
}

/**
 * The least that the listener of the API needs, and the most that the connections of the public listeners need
 * (server/public-listeners.ts).
 */
const leastDescriptors = 1_024
const hostingDescriptors = 16_000

/** Checks that the limit of open files of this process leaves enough for connections. */
export function descriptorsCheck(isHosting: boolean): Check {
  const fix = 'Raise the limit of open files: LimitNOFILE in systemd, or ulimit -n.'
  try {
    const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.NaN)
    const open = readdirSync('/proc/self/fd').length
    const message = `${open.toLocaleString('en')} of ${limit.toLocaleString('en')} file descriptors are open.`
    const needed = isHosting ? hostingDescriptors : leastDescriptors
    if (limit < needed) return bad('descriptors', `${message} ${needed.toLocaleString('en')} may be needed.`, fix)
    return open > limit * 0.8 ? bad('descriptors', message, fix) : good('descriptors', message)
  } catch {
    return notKnown('descriptors', 'This system does not show the limit of open files.')
  }
}
