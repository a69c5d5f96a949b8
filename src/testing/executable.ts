/** The compiled executable for tests: real processes in folders of their own under the system's temporary one. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const executable = resolve(import.meta.dir, '../../dist/petstore')

/** Whether there is an executable to test; says so aloud if not. */
export const isBuilt = existsSync(executable)
if (!isBuilt) console.error(`SKIPPED: tests of the executable need ${executable}. Run scripts/build.sh.`)

/** An empty folder that `remove` takes away. */
export function emptyFolder() {
  const path = mkdtempSync(join(tmpdir(), 'petstore-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

// Nothing of this machine's Bun may help it, and nothing of the test's environment may configure it.
const environment = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }

/** Runs a command to its end. */
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

export interface Greeting {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly key?: string
}

/** Starts `petstore serve --json` on a free port and waits until it accepts requests. */
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
  const greeting = JSON.parse(line) as Greeting

  // Behind a prefix such as strace the child is not the server, and would leave it running.
  function signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (child.exitCode === null && child.signalCode === null) process.kill(greeting.pid, name)
  }

  return {
    greeting,
    process: child,
    errors,
    signal,
    /** Ends it with SIGTERM; resolves to its exit code. */
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
