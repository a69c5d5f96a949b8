/** The lines about the machine: the data directory and its disk, the ports, and the limit of descriptors. */

import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { byteSize } from '../../lib/byte-size.ts'
import { codeOf, systemReason } from '../../lib/system-error.ts'
import { isLow, spaceOf } from '../overview/machine.ts'
import { bad, type Check, good, untold } from './check.ts'
import { holderOf, holderWords, isOwn, socketsOnPort } from './sockets.ts'

/** A port of the service. */
export interface ServicePort {
  /** The address on which it listens; `::` is every address. */
  readonly host: string
  readonly port: number
  /** What it serves: the API and the dashboard, or websites. */
  readonly use: 'API' | 'HTTP' | 'HTTPS'
}

/** The files of the store can be read and written by this process. */
export function directoryCheck(databasePath: string): Check {
  const { R_OK, W_OK, X_OK } = constants
  const directory = dirname(databasePath)
  for (const [path, mode] of [
    [directory, R_OK | W_OK | X_OK],
    [databasePath, R_OK | W_OK],
  ] as const) {
    try {
      accessSync(path, mode)
    } catch (error) {
      // The line of the database says that it is missing.
      if (path === databasePath && codeOf(error) === 'ENOENT') continue
      const fix = 'Make it readable and writable for the user that runs petstore, or run the command with sudo.'
      return bad('data_directory', `${path} cannot be used: ${systemReason(error)}.`, fix)
    }
  }
  return good('data_directory', `${directory} can be read and written.`)
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
    return untold('space', `The disk of ${directory} cannot be looked at: ${systemReason(error)}.`)
  }
}

/** No other process has a port of the service: of a running one, or that a start would need. */
export function portsCheck(ports: readonly ServicePort[], isRunning: boolean): Check {
  const sockets = ports.map(({ host, port }) => socketsOnPort(port, host))
  if (sockets.includes(undefined)) return untold('ports', 'This system does not tell who holds a port.')
  const taken = ports.flatMap(({ port, use }, i) => {
    const [other] = (sockets[i] ?? []).filter((socket) => !isRunning || !isOwn(socket))
    return other === undefined ? [] : [`port ${port} (${use}) is held by ${holderWords(holderOf(other))}`]
  })
  const names = ports.map(({ port, use }) => `${port} (${use})`).join(', ')
  if (taken.length === 0) {
    return good('ports', isRunning ? `The server listens on ${names}.` : `Free for a start: ${names}.`)
  }
  const message = `${taken.join(', ')}.`
  const fix = 'Stop that program, or choose another port with --port, --http-port or --https-port.'
  return bad('ports', message.charAt(0).toUpperCase() + message.slice(1), fix)
}

/** What the listener of the API needs at least, and what the connections of the public listeners can need (server/public-listeners.ts). */
const leastDescriptors = 1_024
const hostingDescriptors = 16_000

/** The limit of open files of this process leaves enough for connections. */
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
    return untold('descriptors', 'This system does not tell the limit of open files.')
  }
}
