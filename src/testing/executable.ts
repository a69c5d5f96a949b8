/** Runs the compiled executable for tests, as real processes in temporary directories. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openDatabase } from '../database/open.ts'
import type { Environment } from '../lib/environment.ts'
import { makeDirectory } from '../lib/file-owner.ts'

export const executable = resolve(import.meta.dir, '../../dist/petstore')

/** Whether the executable has been built. Prints a line if not, because its tests are skipped then. */
export const isBuilt = existsSync(executable)
if (!isBuilt) console.error(`SKIPPED: tests of the executable need ${executable}. Run scripts/build.sh.`)

/**
 * The command line that runs petstore for an application in the process of a test. From its source it takes five times
 * as long to start.
 */
export const petstoreCommand: readonly string[] = isBuilt
  ? [executable]
  : [process.execPath, resolve(import.meta.dir, '../main.ts')]

/** Creates an empty temporary directory; `remove`, or `using`, deletes it and its content. */
export function emptyFolder() {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return { path, remove, [Symbol.dispose]: remove }
}

/** Makes an empty store in the directory `data` of a folder. */
export function makeStore(folder: string, { data = 'data', environment = 'production' }: MakeOptions = {}): void {
  const path = join(folder, data, `${environment}.db`)
  makeDirectory(dirname(path))
  openDatabase(path, 0).close()
}

interface MakeOptions {
  readonly data?: string
  readonly environment?: Environment
}

/** A temporary directory, with the servers and commands that run in it. */
export function createWorkspace() {
  const { path, remove } = emptyFolder()
  const started: PetstoreProcess[] = []
  return {
    path,
    run: (...args: readonly string[]) => runPetstore(args, { cwd: path }),
    /** As `startPetstoreProcess`; `close` ends the server. */
    async serve(args: readonly string[] = [], prefix: string[] = []): Promise<PetstoreProcess> {
      const one = await startPetstoreProcess(args, { cwd: path }, prefix)
      started.push(one)
      return one
    },
    /** Resolves to the text that a start prints for people into a pipe. The server is stopped. */
    async startText(...args: readonly string[]): Promise<string> {
      const child = Bun.spawn([executable, 'serve', '--port', '0', ...args], {
        cwd: path,
        env: environment,
        stdout: 'pipe',
        stderr: 'ignore',
      })
      let text = ''
      for await (const chunk of child.stdout) {
        text += new TextDecoder().decode(chunk)
        if (text.includes('Stop it with Ctrl+C.')) break
      }
      child.kill('SIGTERM')
      await child.exited
      return text
    },
    /** As `startText` on a terminal, with what the log prints there. */
    async terminalText(...args: readonly string[]): Promise<string> {
      const decoder = new TextDecoder()
      let text = ''
      const child = Bun.spawn([executable, 'serve', '--port', '0', ...args], {
        cwd: path,
        env: environment,
        terminal: {
          cols: 500,
          rows: 50,
          data(_, chunk) {
            text += decoder.decode(chunk, { stream: true })
            if (text.includes('Stop it with Ctrl+C.')) child.kill('SIGTERM')
          },
        },
      })
      await child.exited
      return text.replaceAll('\r\n', '\n')
    },
    async close(): Promise<void> {
      for (const one of started.splice(0)) await one.kill()
      remove()
    },
  }
}
export type Workspace = ReturnType<typeof createWorkspace>

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

// The executable must not need Bun on the PATH, and no variable of the test's environment may configure it.
const environment = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }

/** Runs a command until it exits. */
export async function runPetstore(args: readonly string[], { cwd, env = {}, stdin }: RunOptions) {
  const process = Bun.spawn([executable, ...args], {
    cwd,
    env: { ...environment, ...env },
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.exited,
  ])
  return { out, err, code }
}

/** Options that turn hosting on behind a proxy on this machine, with the public listener on a free port. */
export const proxiedHosting = [
  '--public-host',
  '127.0.0.1',
  '--http-port',
  '0',
  '--https-port',
  'off',
  '--trusted-proxy',
  '127.0.0.1',
]

/** The line that `petstore serve --json` prints once it accepts requests. */
export interface ReadyLine {
  readonly url: string
  readonly port: number
  /** Of the public listener for HTTP, if hosting is on. */
  readonly httpPort?: number
  /** Of the public listener for HTTPS, unless a proxy ends TLS. */
  readonly httpsPort?: number
  readonly pid: number
  readonly key?: string
  /** The link to set up the dashboard, while there is no owner. */
  readonly setupUrl?: string
}

/**
 * Starts `petstore serve --json` on a free port and waits for its ready line. If the process exits without one, throws
 * an Error with its stderr. `prefix` is a command that runs it, such as strace.
 */
export async function startPetstoreProcess(
  args: readonly string[],
  { cwd, env = {} }: RunOptions,
  prefix: string[] = [],
) {
  const child = Bun.spawn([...prefix, executable, 'serve', '--json', '--port', '0', ...args], {
    cwd,
    env: { ...environment, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = new Response(child.stderr).text()
  const line = await firstLine(child.stdout)
  if (line === undefined) throw new Error(`petstore did not start: ${await errors}`)
  const ready = JSON.parse(line) as ReadyLine

  // With a prefix such as strace the child is not the server; a signal to the child would leave the server running.
  function signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (child.exitCode === null && child.signalCode === null) process.kill(ready.pid, name)
  }

  return {
    ready,
    process: child,
    errors,
    signal,
    /** Sends SIGTERM; resolves to the exit code. */
    async stop(): Promise<number> {
      signal('SIGTERM')
      return child.exited
    },
    async kill(): Promise<void> {
      signal('SIGKILL')
      await child.exited
    },
  }
}
export type PetstoreProcess = Awaited<ReturnType<typeof startPetstoreProcess>>

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const end = text.indexOf('\n')
    if (end !== -1) return text.slice(0, end)
  }
  return undefined
}
