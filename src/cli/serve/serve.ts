/** `petstore serve`: opens the store, listens, prints the start message, and stops on a signal. */

import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { createApp } from '../../app/app.ts'
import { createCommandApi } from '../../app/command-api.ts'
import { type RunningServer, startServer } from '../../app/start-server.ts'
import { type ServeConfig, serveConfig } from '../../config/config.ts'
import type { MailConfig } from '../../config/mail.ts'
import { serveOptions } from '../../config/serve-options.ts'
import type { OptionValues } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { StorageUnavailable } from '../../database/faults/fault.ts'
import type { OpenDatabase } from '../../database/open.ts'
import { hasUpgradeMark, removeUpgradeMark } from '../../database/upgrade-mark.ts'
import { type StartOptions, savedSettings, settingsOf, startOptions, withoutHosting } from '../../hosting/settings.ts'
import { systemClock } from '../../lib/clock.ts'
import { findContainer } from '../../lib/container.ts'
import { AppError, messageOf } from '../../lib/error.ts'
import type { Log } from '../../lib/log.ts'
import { openStore } from '../../operate/backups/before-migration.ts'
import { sweepLeftovers } from '../../operate/backups/folder.ts'
import { MailError } from '../../operate/mail/send.ts'
import { passwordOf } from '../../operate/mail/settings.ts'
import { type CommandSocket, openCommandSocket } from '../../server/command-socket.ts'
import { lockStore, type StoreLock } from '../client/client.ts'
import { assertNotLost, ensureDataDirectory } from '../client/local.ts'
import type { Command, Invocation, Terminal } from '../command.ts'
import { notifyReady, runsAsOf } from '../service/notify.ts'
import { serveEphemeral } from './ephemeral.ts'
import { assertExpectedStore, makeWay } from './expected-store.ts'
import { logTerms, openHosting, withReused } from './hosting.ts'
import { orExplain, serverOptions, tryPorts } from './listen.ts'
import { hangUpCode, serveLog, startText } from './message.ts'
import { makeSecrets, printStart } from './secrets.ts'

export const serve: Command = {
  name: 'serve',
  isLocal: true,
  summary: 'run the service',
  details:
    'The first start creates the store and prints a first API key once, on a terminal or with --json. With --json it prints one line {"url","port","httpPort","httpsPort","pid","key","setupUrl"} when it accepts requests, and logs JSON lines on stderr. With --log-level debug it logs a line for each request. On SIGTERM, on Ctrl+C, and when its terminal closes (SIGHUP, exit code 129) it finishes the requests in flight and exits; started with nohup, it keeps running when the terminal closes.',
  options: serveOptions,
  examples: ['serve', 'serve --data /srv/petstore --port 8090', 'serve --ephemeral --port 0 --json'],
  async run({ values: given, terminal, variables }: Invocation) {
    if (given['ephemeral'] === true) return await serveEphemeral(given, terminal)
    const place = serveConfig(withoutHosting(given))
    if (place.mail) await assertPassword(place.mail)
    assertExpectedStore(place)
    const log = serveLog(place, terminal)
    const path = databasePath(place)
    // A start that must fail makes no store. A store that exists may have options that complete the given ones.
    if (!existsSync(path)) await tryPorts(serveConfig(given))
    const { isReadOnly, unlock } = await lock(place, log)
    if (given['new'] === true) makeWay(place)
    else assertNotLost(place)
    const database = openStore(
      { databasePath: path, environment: place.environment },
      { now: Date.now, report: log.info },
    )
    const { config, options } = configOf(given, database)
    const { self, executable, pid } = terminal
    const start = { self, executable, pid, runsAs: runsAsOf(config, variables), container: findContainer() }
    const app = createApp({ ...config, ...start, databasePath: path }, systemClock, log, database)
    // A signal may come as soon as the first listener accepts requests.
    const stopped = new Promise<string>((resolve) => terminal.onStop(resolve, app.detachIfReplaced))
    const started = await tryWriting(config, app)
      .then(() => open(config, app, terminal, options, isReadOnly))
      .catch(async (error: unknown) => {
        await app.close()
        throw error
      })
    const { listener, hosting, socket, secrets, message } = started
    void printStart(terminal, app, config, secrets, message)
    void logTerms(app, log)
    warnUnencrypted(app, log)
    void notifyReady(variables, log)
    const signal = await Promise.race([stopped, app.writeAheadLog.failed])
    log.info('stopping: finishing the requests in flight')
    app.endStreams()
    await Promise.all([listener.stop(), hosting?.stop(), socket?.stop()])
    await app.close()
    unlock()
    return signal === 'SIGHUP' ? hangUpCode : 0
  },
}

/** Whoever can read the bucket can read the backups. */
function warnUnencrypted({ backupCopies }: ReturnType<typeof createApp>, log: Log): void {
  try {
    const copies = backupCopies.view()
    if (copies === undefined || copies.bucket === null || copies.recipients.length > 0) return
    log.warn(
      'backups leave this machine unencrypted, with keys and orders: petstore backup keys create encrypts them',
      {
        bucket: copies.bucket.address,
      },
    )
  } catch (error) {
    // An error here would end the command before it waits for the signal to stop, while its listeners still run.
    if (!(error instanceof AppError)) throw error
    log.warn('the bucket of the backups is not known', { reason: error.message })
  }
}

/** Throws `not_found` if the file with the password of the mail server cannot be read. */
async function assertPassword(mail: MailConfig): Promise<void> {
  await passwordOf(mail).catch((cause: unknown) => {
    throw cause instanceof MailError ? new AppError('not_found', cause.message, { cause }) : cause
  })
}

/** Throws `conflict` if a server runs on the store. */
async function lock(config: ServeConfig, log: Log): Promise<StoreLock> {
  ensureDataDirectory(config)
  const path = databasePath(config)
  const locked = await lockStore(path)
  if (locked === 'served') {
    throw new AppError('conflict', `Another petstore is serving ${path}: stop it, or use another --data.`)
  }
  try {
    if (!locked.isReadOnly) sweepLeftovers(path)
  } catch (error) {
    log.warn('the leftovers of an interrupted backup or restore could not be removed', { error })
  }
  return locked
}

/**
 * The configuration, completed by the options of hosting that the store keeps. Throws `UsageError` if they do not fit
 * together.
 */
function configOf(given: OptionValues, database: OpenDatabase) {
  try {
    const options = startOptions(given, savedSettings(database.tables))
    return { options, config: serveConfig(options.values) }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Stores the hosting options for commands and later starts, once the service listens with them: a start that fails must
 * not change what the next one serves. A store that can't be written is served all the same.
 */
async function keepSettings({ writer, hostingSettings, log }: ServedApp, values: OptionValues): Promise<void> {
  try {
    if (isDeepStrictEqual(hostingSettings.read(), settingsOf(values) ?? {})) return
    await writer.write(() => hostingSettings.save(values))
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn('the options of hosting could not be stored: commands do not know them', { error })
  }
}

type ServedApp = ReturnType<typeof createApp>

/** Listens, then makes the first key: a start that can't listen would lose it, since it is shown only once. */
async function open(
  config: ServeConfig,
  app: ServedApp,
  terminal: Terminal,
  options: StartOptions,
  isReadOnly: boolean,
) {
  if (hasUpgradeMark(app.databasePath)) {
    // An upgrade goes back while the mark is there: a port in use has to be found out before.
    await tryPorts(config)
    removeUpgradeMark(app.databasePath)
  }
  const listener = await orExplain(config, () => startServer(app, serverOptions(config, terminal)))
  const hosting = await openHosting(config, app, listener).catch(async (error: unknown) => {
    await listener.stop()
    throw withReused(error, options)
  })
  try {
    await keepSettings(app, options.values)
    const secrets = await makeSecrets(app, config, listener, terminal)
    const message = startText(config, terminal.pid, { app, listener, hosting, secrets, options })
    // On a read-only disk commands open the database themselves.
    const socket = isReadOnly ? undefined : openSocket(config, app, listener)
    return { listener, hosting, socket, secrets, message }
  } catch (error) {
    await Promise.all([listener.stop(), hosting?.stop()])
    throw error
  }
}

/** The socket for commands. A store whose socket can't be made is served all the same. */
function openSocket(config: ServeConfig, app: ServedApp, { handler }: RunningServer): CommandSocket | undefined {
  try {
    return openCommandSocket({
      ...handler,
      site: createCommandApi(app),
      databasePath: databasePath(config),
    })
  } catch (error) {
    app.log.error('commands cannot reach this server', { error: messageOf(error) })
    return undefined
  }
}

/**
 * A store that can't be written is served for reading; the log says why. One that is locked is in use by something
 * else.
 */
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
