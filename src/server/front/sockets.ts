/** The directory of the inner servers' unix sockets. Only the owner of the process can open it. */

import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The longest path that a unix socket can have on every system (`sun_path` has 104 bytes on macOS, 108 on Linux). */
const maximumPathBytes = 103

export interface SocketDirectory {
  /** A path for a new socket; undefined if this system or this directory can't hold one. */
  next(): string | undefined
  remove(): void
}

/** Makes the directory, and removes the sockets that a process left behind which did not end properly. */
export function createSocketDirectory(path: string): SocketDirectory {
  const isUsable = prepare(path)
  let count = 0
  return {
    next: () => (isUsable ? join(path, String(++count)) : undefined),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

function prepare(path: string): boolean {
  if (Buffer.byteLength(path) + '/1000000'.length > maximumPathBytes) return false
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    for (const name of readdirSync(path)) rmSync(join(path, name), { force: true })
    return true
  } catch {
    // On a read-only disk, for example. Loopback is slower, and always there.
    return false
  }
}
