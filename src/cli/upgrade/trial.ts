/**
 * Tries an executable on a copy of the store, beside the server: it has to migrate the copy, leave it whole, and become
 * ready.
 */

import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { versionOf } from '../../database/migrate.ts'
import { AppError } from '../../lib/error.ts'
import { makeDirectory } from '../../lib/file-owner.ts'
import { systemReason } from '../../lib/system-error.ts'
import { copyDatabase } from '../../operate/backups/create.ts'
import { explained } from '../../operate/backups/files.ts'
import { type StorePlace, trialDirectory } from '../../operate/backups/folder.ts'
import { changeCopy } from '../../operate/backups/open.ts'
import { type PetstoreVersion, plainVariables } from './executable.ts'

/** As long as systemd waits for a start, which may have to back up and migrate a large store. */
const longestStartMs = 900_000

/** How long a tried server may take to stop, in milliseconds. */
const longestStopMs = 20_000

/**
 * Throws `conflict` with the reason if the executable fails, and `storage_unavailable` if there is no space for the
 * copy.
 */
export async function tryExecutable(file: string, found: PetstoreVersion, place: StorePlace): Promise<void> {
  const directory = trialDirectory(place.databasePath)
  const copy = join(directory, `${place.environment}.db`)
  // A trial that was killed has left its copy.
  rmSync(directory, { recursive: true, force: true })
  try {
    makeDirectory(directory)
    // The trial makes its own backup, and a migration may rewrite the whole database.
    copyDatabase(place.databasePath, copy, 2 * Bun.file(place.databasePath).size)
    putOnHold(copy)
    await serve(file, place, directory)
    assertWhole(copy, found)
  } catch (cause) {
    throw explained('The new petstore could not be tried', cause)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The copy sends no mail and no webhooks, like a restored store on hold. */
function putOnHold(copy: string): void {
  changeCopy(copy, (database) => {
    const column = database.query("SELECT 1 FROM pragma_table_info('installation') WHERE name = 'restored_at'").get()
    if (column !== null) database.run('UPDATE installation SET restored_at = 0')
  })
}

/** Without hosting: a copy gets no certificate. */
const options = ['--host', '127.0.0.1', '--port', '0', '--platform-domain', 'off', '--json', '--log-level', 'error']

async function serve(file: string, { environment }: StorePlace, directory: string): Promise<void> {
  // A trial must not outlive a killed upgrade.
  const tie = Bun.which('setpriv') === null ? [] : ['setpriv', '--pdeathsig', 'KILL']
  const child = Bun.spawn([...tie, file, 'serve', '--data', directory, '--environment', environment, ...options], {
    cwd: '/',
    env: plainVariables,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: longestStartMs,
    killSignal: 'SIGKILL',
  })
  const errors = new Response(child.stderr).text()
  try {
    const url = await addressOf(child.stdout)
    if (url === undefined) {
      await child.exited
      throw failed(`it does not start: ${lastLine(await errors)}`)
    }
    const response = await fetch(`${url}/readyz`, { proxy: false }).catch(() => undefined)
    child.kill('SIGTERM')
    const killing = setTimeout(() => child.kill('SIGKILL'), longestStopMs)
    const code = await child.exited
    clearTimeout(killing)
    if (response?.status !== 200) throw failed(`it is not ready: /readyz answers ${response?.status ?? 'nothing'}`)
    if (code !== 0) throw failed(`it does not stop: ${lastLine(await errors)}`)
  } finally {
    child.kill('SIGKILL')
  }
}

/**
 * The address in the line that a server prints when it accepts requests; undefined if it ends without one. Throws
 * `conflict` at another line.
 */
async function addressOf(out: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of out) {
    text += decoder.decode(chunk, { stream: true })
    if (!text.includes('\n')) continue
    const [, url] = /^\{.*"url":"([^"]+)".*\}\n/.exec(text) ?? []
    if (url === undefined) throw failed('it does not print its address as JSON when it starts')
    return url
  }
  return undefined
}

function lastLine(text: string): string {
  const [last = ''] = text.trimEnd().split('\n').slice(-1)
  return last.replace(/^petstore: |\.$/g, '') || 'it printed nothing'
}

function assertWhole(copy: string, { databaseVersion }: PetstoreVersion): void {
  const database = new Database(copy, { create: false, readwrite: true })
  try {
    const [fault] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all()
    if (fault?.quick_check !== 'ok') throw failed(`it leaves a damaged database: ${fault?.quick_check}`)
    const version = versionOf(database)
    if (version !== databaseVersion) throw failed(`it leaves a database of version ${version}`)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw failed(`it leaves a damaged database: ${systemReason(cause)}`)
  } finally {
    database.close(true)
  }
}

const failed = (reason: string) =>
  new AppError('conflict', `The new petstore fails on a copy of the store: ${reason}. Nothing was changed.`)
