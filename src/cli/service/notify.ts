/**
 * Detects what has started this process, and notifies systemd when the service accepts requests. Bun has no datagrams
 * of Unix sockets, so `systemd-notify` sends the message.
 */

import type { ServeConfig } from '../../config/config.ts'
import type { EnvironmentVariables } from '../../config/read.ts'
import { isInContainer } from '../../lib/container.ts'
import type { Log } from '../../lib/log.ts'
import type { RunsAs } from '../../operate/system/schemas.ts'
import { runProgram } from './systemd.ts'

/** Whether systemd, a container or a person has started this process. */
export function runsAsOf({ storeId }: Pick<ServeConfig, 'storeId'>, { NOTIFY_SOCKET }: EnvironmentVariables): RunsAs {
  // A unit that petstore has not written has no id of the store.
  if (NOTIFY_SOCKET && storeId !== undefined) return 'service'
  return isInContainer() ? 'container' : 'program'
}

/**
 * Does nothing unless systemd waits for the message (sd_notify(3)). Never rejects: systemd ends a start without a
 * notification.
 */
export async function notifyReady({ NOTIFY_SOCKET }: EnvironmentVariables, log: Pick<Log, 'error'>): Promise<void> {
  if (!NOTIFY_SOCKET) return
  await runProgram('systemd-notify', '--ready').catch((error: unknown) =>
    log.error('systemd could not be notified that the service is ready', { error }),
  )
}
