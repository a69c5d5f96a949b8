/** The entry point: runs the command or the task that argv names and sets the exit code. No other file touches `process`. */

import { existsSync, fstatSync, readFileSync, statSync } from 'node:fs'
import type { Terminal } from './cli/command.ts'
import { askLine, askSecret } from './lib/ask.ts'
import { createBoundedOutput } from './lib/bounded-output.ts'
import { taskArgument } from './lib/subprocess.ts'
import { systemReason } from './lib/system-error.ts'

// Only the owner can read the files of the store, in any directory.
process.umask(0o077)

/** Within an executable, the entry point is a file in it. */
const isExecutable = Bun.main.includes('$bunfs')

let isDelivering = false
let isStopping = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that stops early, as in `petstore openapi | head`, is not an error.
  if (isDelivering || error.code === 'EPIPE') return
  process.stderr.write(`petstore: The output can't be written: ${systemReason(error)}.\n`)
  process.exit(1)
})

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  // The error listener above ends the process for every error but a closed pipe.
  write: (text) =>
    new Promise((resolve) => {
      process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (error?.code === 'EPIPE') process.exit(0)
        if (!error) resolve()
      })
    }),
  deliver(text) {
    isDelivering = true
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (error) return reject(error)
        isDelivering = false
        resolve()
      })
    })
  },
  // Bun opens the null device where stdout is closed.
  isNull() {
    const out = fstatSync(1)
    return out.isCharacterDevice() && out.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  },
  err: createBoundedOutput(process.stderr),
  outColumns: process.stdout.isTTY ? process.stdout.columns : undefined,
  // https://no-color.org
  colours: process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
  errColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
  input: () => Bun.stdin.stream(),
  askSecret: (question) =>
    askSecret(question, { input: process.stdin, output: process.stderr, interrupt: () => process.exit(130) }),
  ask: (question) => askLine(question, { input: process.stdin, output: process.stderr }),
  isRoot: process.geteuid?.() === 0,
  pid: process.pid,
  self: isExecutable ? [ownExecutable()] : [process.execPath, Bun.main],
  executable: isExecutable ? process.execPath : undefined,
  usage() {
    const { user, system } = process.cpuUsage()
    return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1_000_000 }
  },
  onStop(stop, abort) {
    const onSignal = (signal: NodeJS.Signals) => {
      // The kernel and the shell both send SIGHUP when a terminal closes.
      if (isStopping && signal !== 'SIGHUP') {
        try {
          abort?.()
        } finally {
          process.exit(1)
        }
      }
      isStopping = true
      stop(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
    if (!ignoresHangUp()) process.on('SIGHUP', onSignal)
    // Without a listener these signals, which some tools send to make a program open its logs again, would end the
    // process.
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {})
  },
  async onParentGone(stop) {
    const end = () => {
      isStopping = true
      stop()
    }
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && end(), parentCheckMs).unref()
    const input = fstatSync(0)
    if (!input.isFIFO() && !input.isSocket()) return
    let isWatching = false
    process.stdin.on('close', () => isWatching && end())
    process.stdin.on('error', () => {})
    process.stdin.resume()
    // A pipe that has ended already, as in a job of a CI whose programs get no input, says nothing about the parent.
    await Bun.sleep(earlyEndMs)
    isWatching = true
  },
}

const parentCheckMs = 250

/** The end of a pipe within this time of the start, in milliseconds, was there before. */
const earlyEndMs = 20

/** On Linux a link to the executable that runs, which leads to it also after it was moved, deleted or replaced. */
function ownExecutable(): string {
  const link = '/proc/self/exe'
  return existsSync(link) ? link : process.execPath
}

/**
 * Whether this process ignores SIGHUP, as one that `nohup` has started does; a listener for the signal would end that.
 * True where the system does not say: a service that ends without a graceful stop loses nothing, but one that nohup
 * keeps must stay.
 */
function ignoresHangUp(): boolean {
  try {
    const ignored = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return ignored === undefined || (Number.parseInt(ignored, 16) & 1) === 1
  } catch {
    return true
  }
}

/** How long a process that is stopped waits for the readers of its last output, in milliseconds. */
const lastOutputMs = 1_000

/** Loads one of the two programs, which scripts/build.sh bundles each on its own, and runs it. */
async function start(): Promise<void> {
  const args = process.argv.slice(2)
  const program = args[0] === taskArgument ? './cli/tasks.ts' : './cli/run.ts'
  const { run } = (await import(program)) as typeof import('./cli/run.ts')
  process.exitCode = await run(args, process.env, terminal)
  // A write to a reader that does not read would keep the process alive.
  if (isStopping) setTimeout(() => process.exit(), lastOutputMs).unref()
}
void start()
