/** Where a server logs: on standard error, or in the file of `--log-file`. */

import type { ServeConfig } from '../../config/config.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { openLogFile } from '../../lib/log-file.ts'
import type { Terminal } from '../command.ts'

/** Throws `storage_unavailable` if the file can't be written. */
export function serveLog({ logLevel, json, logFile }: ServeConfig, { err }: Pick<Terminal, 'err'>): Log {
  const write = logFile === undefined ? err : openLogFile(logFile)
  return createLog({ level: logLevel, json, now: Date.now, write })
}
