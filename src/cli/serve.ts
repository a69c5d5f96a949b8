/** `petstore serve`: opens the store, listens, prints the start message, and stops on a signal. */

import { isDeepStrictEqual } from 'node:util'
import { createApp } from '../app.ts'
import type { AppConfig } from '../app-parts.ts'
import * as embedded from '../assets/embedded.js'
import { createAssetHandler, createDashboardPage } from '../assets/serve.ts'
import { sweepLeftovers } from '../backups/folder.ts'
import { type ServeConfig, serveConfig } from '../config/config.ts'
import { serveOptions } from '../config/serve-options.ts'
import type { OptionValues } from '../config/values.ts'
import { databasePath } from '../database/environment.ts'
import { StorageUnavailable } from '../database/faults/fault.ts'
import { lockForServing } from '../database/lock.ts'
import { isOnReadOnlyDisk } from '../database/opening/access.ts'
import { settingsOf } from '../hosting/settings.ts'
import type { Hosting } from '../hosting/start.ts'
import { systemClock } from '../lib/clock.ts'
import { AppError } from '../lib/error.ts'
import { createLog, type Log } from '../lib/log.ts'
import { systemReason } from '../lib/system-error.ts'
import { setupUrl } from '../owner/set-up.ts'
import type { Listener } from '../server/listener.ts'
import { type RunningServer, startServer } from '../server/start.ts'
import { version } from '../version.ts'
import type { Command, Invocation, Terminal } from './command.ts'
import { hostingLines, logTerms, openHosting, portLine, termsLines } from './serve-hosting.ts'
import { firstKeyLines, makeSecrets, printStart, type StartSecrets } from './serve-secrets.ts'
import { setupLines } from './setup-link.ts'
import { ensureDataDirectory } from './store.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'run the service',
  details:
    'The first start creates the store and prints a first API key once. With --json it prints one line {"url","port","httpPort","httpsPort","pid","key","setupUrl"} when it accepts requests, and logs JSON lines on stderr. With --log-level debug it logs a line for each request. On SIGTERM, on Ctrl+C and when its terminal closes it finishes the requests in flight and exits; started with nohup, it keeps running when the terminal closes.',
  options: serveOptions,
  examples: ['serve', 'serve --data /srv/petstore --port 8090', 'serve --ephemeral --port 0 --json'],
  async run({ values, terminal, variables }: Invocation) {
    const config = serveConfig(values)
    const log = createLog({ level: config.logLevel, json: config.json, now: Date.now, write: terminal.err })
    const unlock = lockStore(config, log)
    const app = createApp({ ...appConfig(config, terminal), variables }, systemClock, log)
    await keepSettings(app, values, log)
    // A signal may come as soon as the first listener accepts requests.
    const stopped = new Promise<void>((resolve) => terminal.onStop(resolve, app.detachIfReplaced))
    const { listener, hosting, secrets, message } = await open(config, app, terminal).catch(async (error: unknown) => {
      await app.close()
      throw error
    })
    void printStart(terminal, app, config, secrets, message)
    void logTerms(app, log)
    await stopped
    log.info('stopping: finishing the requests in flight')
    app.live.close()
    const cancel = systemClock.after(importGraceMs, () => void app.runningImports.stop())
    await Promise.all([listener.stop(), hosting?.stop()])
    cancel()
    await app.close()
    unlock()
    return 0
  },
}

/**
 * How long imports may go on after the signal to stop, in milliseconds. A longer one ends with a response that says so, before
 * the listeners stop waiting for it and close its connection.
 */
const importGraceMs = 4_000

function lockStore(config: ServeConfig, log: Log): () => void {
  if (config.ephemeral) return () => {}
  ensureDataDirectory(config)
  const path = databasePath(config)
  // On a read-only disk a lock is impossible, and not needed.
  if (isOnReadOnlyDisk(path)) return () => {}
  const unlock = lockForServing(path)
  try {
    sweepLeftovers(path)
  } catch (error) {
    log.warn('the leftovers of an interrupted backup or restore could not be removed', { error })
  }
  return unlock
}

function appConfig(config: ServeConfig, { self }: Terminal): AppConfig {
  return { ...config, self, databasePath: config.ephemeral ? ':memory:' : databasePath(config) }
}

/** Stores the hosting options for commands. A store that can't be written is served all the same. */
async function keepSettings({ writer, hostingSettings }: ServedApp, values: OptionValues, log: Log): Promise<void> {
  try {
    if (isDeepStrictEqual(hostingSettings.read(), settingsOf(values) ?? {})) return
    await writer.write(() => hostingSettings.save(values))
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn('the options of hosting could not be stored: commands do not know them', { error })
  }
}

const docs = createAssetHandler('/docs', embedded.docs)
const dashboard = createDashboardPage('/dashboard/', embedded.dashboard)

type ServedApp = ReturnType<typeof createApp>

/** Listens, then makes the first key: a start that can't listen would lose it, since it is shown only once. */
async function open(config: ServeConfig, app: ServedApp, terminal: Terminal) {
  await tryWriting(config, app)
  const listener = await listenOrExplain(config, app, terminal)
  const hosting = await openHosting(config, app, listener).catch(async (error: unknown) => {
    await listener.stop()
    throw error
  })
  try {
    const secrets = await makeSecrets(app, config, listener, terminal)
    const message = startText(config, terminal.pid, { app, listener, hosting, secrets })
    return { listener, hosting, secrets, message }
  } catch (error) {
    await Promise.all([listener.stop(), hosting?.stop()])
    throw error
  }
}

/** A store that can't be written is served for reading; the log says why. One that is locked is in use by something else. */
async function tryWriting(config: ServeConfig, { storageProbe }: ServedApp): Promise<void> {
  try {
    await storageProbe()
  } catch (cause) {
    if (!(cause instanceof StorageUnavailable)) throw cause
    if (cause.fault !== 'busy') return
    const message = `Another process keeps the database ${databasePath(config)} locked: wait until it has finished, or end it, then start again.`
    throw new AppError('storage_unavailable', message, { cause })
  }
}

async function listenOrExplain(config: ServeConfig, app: ServedApp, { usage }: Terminal): Promise<RunningServer> {
  const { host, port } = config
  try {
    return startServer(app, {
      hostname: host,
      port,
      servers: { production: config.baseUrl, staging: config.stagingBaseUrl },
      pages: (request) => docs(request) ?? dashboard(request),
      processUsage: usage,
    })
  } catch (cause) {
    // Where a name can't be resolved, Bun reports whatever error the system had before.
    const code = (await isResolvable(host)) ? codeOf(cause) : 'ENOTFOUND'
    throw new AppError('conflict', `Can't listen on ${host}:${port}: ${reason(code, cause)}`, { cause })
  }
}

async function isResolvable(host: string): Promise<boolean> {
  // Loaded here, because few starts fail.
  const { lookup } = await import('node:dns/promises')
  return await lookup(host).then(
    () => true,
    () => false,
  )
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}

function reason(code: unknown, cause: unknown): string {
  if (code === 'EADDRINUSE')
    return 'the port is in use. Stop the program that uses it, or choose another port with --port.'
  if (code === 'EACCES') return 'ports below 1024 need more rights. Choose another port with --port.'
  if (code === 'EINVAL' || code === 'ENOTFOUND')
    return 'it is not an address of this machine. Choose another address with --host.'
  return `${systemReason(cause)}. Choose another with --host and --port.`
}

interface Started {
  readonly app: ServedApp
  readonly listener: Listener
  readonly hosting: Hosting | undefined
  readonly secrets: StartSecrets
}

function startText(config: ServeConfig, pid: number, { app, listener, hosting, secrets }: Started): string {
  const { url, port } = listener
  const { firstKey: key, dashboardUrl, setupToken: token } = secrets
  const ports = hosting && portLine(config.environment, app, hosting)
  if (config.json) {
    const link = token === undefined ? undefined : setupUrl(dashboardUrl, token)
    const publicPorts = hosting && { httpPort: hosting.httpPort, httpsPort: hosting.httpsPort }
    if (ports !== undefined) app.log.warn(ports)
    return `${JSON.stringify({ url, port, ...publicPorts, pid, key, setupUrl: link })}\n`
  }
  const lines = [
    `petstore ${version} is running (${config.environment}).`,
    '',
    `  Dashboard  ${dashboardUrl}/`,
    `  API        ${url}/v1`,
    `  Docs       ${url}/docs`,
    `  Data       ${config.ephemeral ? 'in memory only, deleted at exit' : config.dataDirectory}`,
    ...(config.hosting && hosting ? hostingLines(config.hosting, hosting, 11) : []),
    '',
    ...(token === undefined ? [] : setupLines(dashboardUrl, token, url)),
    ...(key === undefined ? [] : firstKeyLines(url, key)),
    ...(config.hosting ? termsLines(config.hosting, app) : []),
    ...(ports === undefined ? [] : [ports, '']),
    'Stop it with Ctrl+C.',
  ]
  return `${lines.join('\n')}\n`
}
