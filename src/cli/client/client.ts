/**
 * The API as commands call it: of a store on another machine, over the network; of one on this machine over the socket
 * of its server, or, where none runs, in this process, which then opens the store as a server would, without listeners
 * and periodic jobs.
 */

import { attachCommand } from '../../api/context.ts'
import { createApp } from '../../app/app.ts'
import { createCommandApi } from '../../app/command-api.ts'
import { type StoreConfig, serveConfig, storeConfig } from '../../config/config.ts'
import type { OptionValues } from '../../config/values.ts'
import { databasePath } from '../../database/environment.ts'
import { lockForServing } from '../../database/lock.ts'
import type { OpenDatabase } from '../../database/open.ts'
import { isOnReadOnlyDisk } from '../../database/permissions.ts'
import { removeUpgradeMark } from '../../database/upgrade-mark.ts'
import { savedSettings, startOptions } from '../../hosting/settings.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/error.ts'
import { createLog, printable } from '../../lib/log.ts'
import { openStore } from '../../operate/backups/before-migration.ts'
import { holderOf, holderWords, socketAtPath } from '../../operate/doctor/sockets.ts'
import { commandSocketPath, isInTemporaryDirectory, isListening } from '../../server/command-socket.ts'
import type { Invocation } from '../command.ts'
import { print } from '../terminal/output.ts'
import { type Client, createClient, type Send, ServerEnded } from './api-client.ts'
import { assertNotLost, assertStore, ensureDataDirectory, onStore } from './local.ts'
import { describeRemote, type RemoteStore, remoteClient } from './remote.ts'

/** Throws `not_found` if there is no store. */
export async function withClient<T>(invocation: Invocation, use: (client: Client) => Promise<T>): Promise<T> {
  if (invocation.remote) return await use(announced(invocation.remote, invocation))
  await expectStore(storeConfig(invocation.values))
  return await connect(invocation, use)
}

/** Makes calls of the API and prints what they result in, as `print` does. Returns the exit code, by default 0. */
export async function callAndPrint(
  invocation: Invocation,
  call: (client: Client) => Promise<{ result: unknown; words: string | readonly string[]; code?: number }>,
): Promise<number> {
  const { result, words, code = 0 } = await withClient(invocation, call)
  print(invocation, result, words)
  return code
}

/** Like `withClient`, for what needs a server. Throws `conflict` if none runs on the store. */
export async function withServer<T>(invocation: Invocation, use: (client: Client) => Promise<T>): Promise<T> {
  if (invocation.remote) return await use(announced(invocation.remote, invocation))
  const config = storeConfig(invocation.values)
  await expectStore(config)
  const lock = await lockStore(databasePath(config))
  if (lock === 'served') return await use(clientOfServer(invocation, databasePath(config)))
  lock.unlock()
  const start = onStore(invocation, 'petstore serve')
  throw new AppError('conflict', `No server runs on ${databasePath(config)}. Start it with: ${start}`)
}

/** Like `withClient`, but creates the store where there is none. */
export async function withNewClient<T>(invocation: Invocation, use: (client: Client) => Promise<T>): Promise<T> {
  if (invocation.remote) return await use(announced(invocation.remote, invocation))
  const config = storeConfig(invocation.values)
  if (!(await isServed(config))) assertNotLost(config)
  ensureDataDirectory(config)
  return await connect(invocation, use)
}

/** Throws what `assertStore` throws, unless a server runs: that one reports the state of its database. */
export async function expectStore(config: StoreConfig): Promise<void> {
  if (!(await isServed(config))) assertStore(config)
}

const isServed = (config: StoreConfig) => isListening(commandSocketPath(databasePath(config)))

/** A client of a store on another machine, whose address is printed. */
function announced(remote: RemoteStore, { terminal }: Invocation): Client {
  terminal.err(`petstore: The store is ${printable(describeRemote(remote))}.\n`)
  return remoteClient(remote)
}

/** The result; a `not_found` says in addition where to look. */
export async function withAdvice<T>(result: Promise<T>, advice: string): Promise<T> {
  return await result.catch((error) => {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error
    throw new AppError('not_found', `${error.message} ${advice}`, { cause: error })
  })
}

async function connect<T>(invocation: Invocation, use: (client: Client) => Promise<T>): Promise<T> {
  const path = databasePath(storeConfig(invocation.values))
  const lock = await lockStore(path)
  if (lock === 'served') return await use(clientOfServer(invocation, path))
  try {
    return await inProcess(invocation, path, use)
  } finally {
    lock.unlock()
  }
}

/** A client of the server that runs on the store of the database at `path`. */
function clientOfServer({ terminal }: Invocation, path: string): Client {
  const unix = commandSocketPath(path)
  // A response may take as long as the work that it waits for: a server that ends closes the connection.
  const send: Send = async (to, init) => {
    const headers = new Headers(init.headers)
    // Compression takes a third more time, and saves nothing here.
    headers.set('accept-encoding', 'identity')
    // An upload takes its time, and shows its progress.
    const isUpload = init.body instanceof ReadableStream
    const cancel = isUpload ? () => {} : systemClock.after(answerMs, () => void terminal.err(notAnswering))
    try {
      return await fetch(urlOf(to), { ...init, headers, unix, timeout: false })
    } finally {
      cancel()
    }
  }
  return createClient(send, ended)
}

/**
 * A client of the server that listens on the socket of a store; undefined if none does. Takes no lock and opens no
 * file. A request throws `storage_unavailable` if the server has sent nothing for `silenceMs`.
 */
export async function serverClient(path: string, silenceMs: number): Promise<Client | undefined> {
  const unix = commandSocketPath(path)
  if (!(await isListening(unix))) return undefined
  return createClient(
    (to, init) => fetch(urlOf(to), { ...init, unix, signal: AbortSignal.timeout(silenceMs) }),
    (cause, method) => {
      if (!(cause instanceof Error && cause.name === 'TimeoutError')) return ended(cause, method)
      const socket = socketAtPath(unix)
      const holder = socket === undefined ? 'a program' : holderWords(holderOf(socket))
      const message = `The server has not answered for ${silenceMs / 1_000} seconds: it is busy or stuck. Its socket ${unix} belongs to ${holder}.`
      return new AppError('storage_unavailable', message, { cause })
    },
  )
}

/** After how long a command says that it waits for the server, in milliseconds. */
const answerMs = 10_000
const notAnswering = 'petstore: The server has not answered for 10 seconds: it is busy or stuck. Still waiting.\n'

/** How long a process waits for a command, or for a server that starts or stops, in milliseconds. */
const longestWaitMs = 5_000
const pauseMs = 20

export interface StoreLock {
  /** Whether the store is on a read-only disk, where a lock is impossible and not needed. */
  readonly isReadOnly: boolean
  readonly unlock: () => void
}

/**
 * Locks a store for this process; resolves to `served` if a server listens on the store's socket. Waits up to five
 * seconds for any other process that has the lock, then throws `conflict`.
 */
export async function lockStore(path: string): Promise<'served' | StoreLock> {
  if (isOnReadOnlyDisk(path)) return { isReadOnly: true, unlock: () => {} }
  const untilMs = systemClock.monotonic() + longestWaitMs
  const socket = commandSocketPath(path)
  for (;;) {
    if (await isListening(socket)) return 'served'
    try {
      return { isReadOnly: false, unlock: lockForServing(path) }
    } catch (error) {
      const isInUse = error instanceof AppError && error.code === 'conflict'
      if (!isInUse) throw error
      if (systemClock.monotonic() >= untilMs) {
        const variable = isInTemporaryDirectory(path) ? ' with the TMPDIR of the commands' : ''
        const advice = `If it is a server, commands cannot reach it, since it does not listen at ${socket}: restart it${variable}.`
        throw new AppError('conflict', `${error.message} ${advice}`, { cause: error })
      }
    }
    await Bun.sleep(pauseMs)
  }
}

async function inProcess<T>(
  { values, terminal }: Invocation,
  path: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { environment } = storeConfig(values)
  const report = (sentence: string) => void terminal.err(`petstore: ${printable(sentence)}.\n`)
  const database = openStore({ databasePath: path, environment }, { now: Date.now, report })
  const config = configOf(values, database)
  const log = createLog({ level: 'error', json: false, now: Date.now, write: terminal.err })
  const { self, executable } = terminal
  const app = createApp(
    { ...config, databasePath: path, self, executable, isCommand: true },
    systemClock,
    log,
    database,
  )
  try {
    removeUpgradeMark(path)
    const site = createCommandApi(app)
    return await use(
      createClient(
        async (to, init) => await site(requestOf(to, init)),
        (error) => error,
      ),
    )
  } finally {
    await app.close()
  }
}

/** The configuration of the server that last ran on the store, as far as it is stored. */
function configOf({ data, environment }: OptionValues, database: OpenDatabase) {
  try {
    return serveConfig(startOptions({ data, environment }, savedSettings(database.tables)).values)
  } catch (error) {
    database.close()
    throw error
  }
}

function requestOf(path: string, init: RequestInit): Request {
  const request = new Request(urlOf(path), init)
  attachCommand(request, systemClock.monotonic())
  return request
}

/** The socket and the application do not look at the host. */
const urlOf = (path: string) => `http://petstore.local${path.startsWith('/command/') ? '' : '/v1'}${path}`

const ended = (cause: unknown, method: string) => new ServerEnded('The server', method, cause)
