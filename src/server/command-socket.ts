/**
 * The unix socket of a running store, over which commands call the API. Whoever may open it is the principal "command":
 * the permissions of the file decide, so there is no key. It is not a base address of the API.
 */

import { chmodSync, lchownSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { contextOf } from '../api/context.ts'
import type { Site } from '../api/host.ts'
import { AppError } from '../lib/error.ts'
import { giveToOwner } from '../lib/file-owner.ts'
import { systemReason } from '../lib/system-error.ts'
import { createHandler, type HandlerParts } from './handle.ts'
import { stopServer, unboundedBytes } from './listener.ts'

/** The most bytes that the address of a socket has on Linux and macOS; see unix(7) and the `sun_path` of macOS. */
const longestPathBytes = 103

/**
 * The path of the socket for the database at an absolute path: `production.sock` beside `production.db`. If that is too
 * long for a socket, a name derived from it in a temporary directory of the owner of the data directory, so that root
 * finds the socket of the owner's server.
 */
export function commandSocketPath(databasePath: string): string {
  const path = databasePath.replace(/\.db$/, '.sock')
  if (Buffer.byteLength(path) <= longestPathBytes) return path
  const uid = statSync(dirname(databasePath), { throwIfNoEntry: false })?.uid ?? 0
  return join(tmpdir(), `petstore-${uid}`, `${Bun.hash(databasePath).toString(36)}.sock`)
}

/**
 * Whether the socket of a store is in the directory for temporary files, which the server and its commands must agree
 * on.
 */
export const isInTemporaryDirectory = (databasePath: string): boolean =>
  dirname(commandSocketPath(databasePath)) !== dirname(databasePath)

/** Whether a process listens on the socket. A socket that a killed server has left refuses the connection. */
export async function isListening(path: string): Promise<boolean> {
  try {
    const connection = await Bun.connect({ unix: path, socket: { data() {} } })
    connection.end()
    return true
  } catch {
    return false
  }
}

export interface CommandSocketOptions extends HandlerParts {
  /** Absolute. */
  readonly databasePath: string
  readonly site: Site
}

export interface CommandSocket {
  /** Waits for the requests in flight, closes the connections and removes the socket. */
  stop(): Promise<void>
}

/**
 * Listens at the path of the store's socket, readable and writable by the owner of the data directory alone. The
 * process must have the lock of the store: an existing socket was left by a killed process. Throws
 * `storage_unavailable` if the socket can't be made.
 */
export function openCommandSocket({ databasePath, site, ...parts }: CommandSocketOptions): CommandSocket {
  const path = commandSocketPath(databasePath)
  const asCommand: Site = (request) => {
    const context = contextOf(request)
    if (context) context.isCommand = true
    return site(request)
  }
  try {
    if (isInTemporaryDirectory(databasePath)) makeUserDirectory(dirname(path), statSync(dirname(databasePath)))
    rmSync(path, { force: true })
    // Connections have no idle timeout, because the reader of an export may pause. The types lack the option for
    // sockets.
    const options = { ...createHandler({ ...parts, respond: asCommand }), idleTimeout: 0 }
    const server = Bun.serve({ unix: path, maxRequestBodySize: unboundedBytes, ...options } as Bun.Serve.Options<
      unknown,
      never
    >)
    chmodSync(path, 0o600)
    giveToOwner(path)
    return {
      async stop() {
        await stopServer(server, parts.clock)
        rmSync(path, { force: true })
      },
    }
  } catch (cause) {
    const message = `The socket ${path}, over which commands reach the service, can't be made: ${systemReason(cause)}.`
    throw new AppError('storage_unavailable', message, { cause })
  }
}

/**
 * Makes the directory for the sockets of the user who owns the data directory. Throws if another user could have placed
 * files in it.
 */
function makeUserDirectory(directory: string, owner: { readonly uid: number; readonly gid: number }): void {
  const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined
  // Root may serve the store of another user.
  if (isNew && lstatSync(directory).uid === 0) lchownSync(directory, owner.uid, owner.gid)
  const { uid, mode } = lstatSync(directory)
  if (uid !== owner.uid || (mode & 0o777) !== 0o700) {
    throw new Error(
      `${directory} belongs to another user, or others may read it: remove it, or set another TMPDIR for the server and the commands, then restart the server`,
    )
  }
}
