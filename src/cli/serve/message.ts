/** What `serve` prints: its log, and the message of a start. */

import { setupUrl } from '../../access/owner/set-up.ts'
import type { createApp } from '../../app/app.ts'
import type { Hosting } from '../../app/start-hosting.ts'
import type { ServeConfig } from '../../config/config.ts'
import type { StartOptions } from '../../hosting/settings.ts'
import { createLog, type Log } from '../../lib/log.ts'
import { openLogFile } from '../../lib/log-file.ts'
import { version } from '../../lib/version.ts'
import type { Listener } from '../../server/listener.ts'
import type { Terminal } from '../command.ts'
import { dashboardLine, hostingLines, hostingNotes, termsLines } from './hosting.ts'
import { keyLines, type StartSecrets } from './secrets.ts'
import { setupLines, setupWays } from './setup-link.ts'

/** The log, on standard error or in the file of `--log-file`. Throws `storage_unavailable` if that can't be written. */
export function serveLog({ logLevel, json, logFile }: ServeConfig, { err }: Pick<Terminal, 'err'>): Log {
  const write = logFile === undefined ? err : openLogFile(logFile)
  return createLog({ level: logLevel, json, now: Date.now, write })
}

/** The exit code of a program that SIGHUP has ended: 128 and the number of the signal. */
export const hangUpCode = 129

/** The message of a start: one line of JSON for programs, or lines for people. */
export function startText(
  config: ServeConfig,
  pid: number,
  {
    app,
    listener,
    hosting,
    secrets,
    options,
  }: {
    app: ReturnType<typeof createApp>
    listener: Listener
    hosting: Hosting | undefined
    secrets: StartSecrets
    options: StartOptions
  },
): string {
  const { url, port } = listener
  const { firstKey: key, dashboardUrl, setupToken: token } = secrets
  const notes = hostingNotes(config.environment, app, hosting, options)
  if (config.json) {
    const link = token === undefined ? undefined : setupUrl(dashboardUrl, token)
    const publicPorts = hosting && { httpPort: hosting.httpPort, httpsPort: hosting.httpsPort }
    for (const note of notes) app.log.warn(note)
    return `${JSON.stringify({ url, port, ...publicPorts, pid, key, setupUrl: link })}\n`
  }
  const lines = [
    `petstore ${version} is running (${config.environment}).`,
    '',
    `  Dashboard  ${dashboardLine(app, config.hosting, dashboardUrl, url)}`,
    `  API        ${url}/v1`,
    `  Docs       ${url}/docs`,
    `  Data       ${config.ephemeral ? 'in memory only, deleted at exit' : config.dataDirectory}`,
    ...(config.hosting && hosting ? hostingLines(app, config.hosting, hosting, 11) : []),
    '',
    ...(token === undefined ? [] : setupLines(setupWays(dashboardUrl, token, url))),
    ...keyLines(config, app, url, secrets),
    ...(config.hosting ? termsLines(config.hosting, app) : []),
    ...notes.flatMap((note) => [note, '']),
    ...(config.storeId === undefined ? ['Stop it with Ctrl+C.'] : []),
  ]
  return `${lines.join('\n')}\n`
}
