/**
 * Finds the process that listens on a port or on a unix socket, on Linux: `/proc/net` lists the sockets, and the
 * descriptors of a process lead to its own. Only root can read the descriptors of other users.
 * https://man7.org/linux/man-pages/man5/proc_net.5.html
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { parseAddress } from '../../lib/network.ts'

/** The process that has a socket. Both are undefined if the system does not show them. */
export interface Holder {
  readonly pid: number | undefined
  /** The name of its program. */
  readonly program: string | undefined
}

/** The state of a TCP socket that listens, and the flags of a unix socket that does. */
const listening = '0A'
const acceptsConnections = '00010000'

/**
 * The numbers of the sockets that listen on a TCP port at the address `host` or at every address; undefined where the
 * system has no `/proc`. Unless `host` is one IPv4 address, those at any address count.
 */
export function socketsOnPort(port: number, host: string): readonly string[] | undefined {
  const hexPort = hexOf(port, 4)
  const ending = hexEnding(host)
  const rows = ['tcp', 'tcp6'].map((name) => rowsOf(`/proc/net/${name}`))
  if (rows.every((found) => found === undefined)) return undefined
  return rows.flatMap((found) =>
    (found ?? []).flatMap(([, local = '', , state, , , , , , inode]) => {
      const [address = '', at] = local.split(':')
      const isThere = at === hexPort && (/^0+$/.test(address) || address.endsWith(ending))
      return isThere && state === listening && inode !== undefined ? [inode] : []
    }),
  )
}

/** The end of an IPv4 address in `/proc/net`, which also lists it in the form of IPv6; empty for every other host. */
function hexEnding(host: string): string {
  const address = parseAddress(host)
  if (address?.kind() !== 'ipv4' || host === '0.0.0.0') return ''
  const bytes = address.toByteArray().map((byte) => hexOf(byte, 2))
  return bytes.reverse().join('')
}

const hexOf = (number: number, digits: number) => number.toString(16).toUpperCase().padStart(digits, '0')

/**
 * The number of the unix socket that listens at a path; undefined if there is none, or if the system does not show it.
 */
export function socketAtPath(path: string): string | undefined {
  // Connections to it have its path, too.
  const row = rowsOf('/proc/net/unix')?.find((columns) => columns[7] === path && columns[3] === acceptsConnections)
  return row?.[6]
}

/** The process that has a socket of this number. */
export function holderOf(socket: string): Holder {
  const link = `socket:[${socket}]`
  for (const pid of attempt(() => readdirSync('/proc')) ?? []) {
    if (/^\d+$/.test(pid) && hasDescriptor(pid, link)) {
      return { pid: Number(pid), program: attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()) }
    }
  }
  return { pid: undefined, program: undefined }
}

/** Whether a process, by its id or `self` for this one, has a socket of this number. */
export const hasSocket = (process: number | 'self', socket: string): boolean =>
  hasDescriptor(String(process), `socket:[${socket}]`)

/** Words for a holder, such as `nginx (process 812)`. */
export function holderWords({ pid, program }: Holder): string {
  if (pid === undefined) return 'a process of another user (sudo shows which)'
  return `${program ?? 'a program'} (process ${pid})`
}

function hasDescriptor(pid: string, link: string): boolean {
  const directory = `/proc/${pid}/fd`
  const descriptors = attempt(() => readdirSync(directory)) ?? []
  return descriptors.some((descriptor) => attempt(() => readlinkSync(`${directory}/${descriptor}`)) === link)
}

function rowsOf(path: string): string[][] | undefined {
  const text = attempt(() => readFileSync(path, 'utf8'))
  return text?.split('\n').map((line) => line.trim().split(/\s+/))
}

/** The result of a read, or undefined if it fails, because processes end or belong to others. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
