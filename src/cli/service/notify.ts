/** Tells systemd that the service accepts requests. Bun has no unix datagrams, so systemd's own program sends the message. */

import type { EnvironmentVariables } from '../../config/read.ts'
import type { Log } from '../../lib/log.ts'
import { runProgram } from './systemd.ts'

/** Does nothing unless systemd waits for the message (sd_notify(3)). Never rejects: systemd ends a start that it hears nothing of. */
export async function notifyReady({ NOTIFY_SOCKET }: EnvironmentVariables, log: Pick<Log, 'error'>): Promise<void> {
  if (!NOTIFY_SOCKET) return
  await runProgram('systemd-notify', '--ready').catch((error: unknown) =>
    log.error('systemd could not be told that the service is ready', { error }),
  )
}
