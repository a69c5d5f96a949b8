/**
 * A machine with a real systemd for tests: Debian in a directory, started in its own namespaces. It needs root, and
 * Linux.
 */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Machine {
  /** Runs a script of the shell in the machine, as root. */
  run(script: string): Promise<{ code: number; out: string; err: string }>
  /** Copies a file into the machine. */
  put(file: string, path: string): void
  /** Starts a program of this machine that is reached by the loopback addresses of the other one, which must be on. */
  beside(...words: string[]): Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  /** Starts systemd; resolves when it has started its services. */
  boot(): Promise<void>
  /** Cuts the power. */
  cut(): Promise<void>
  remove(): Promise<void>
}

/**
 * Makes a machine that is off; undefined, with the reason on the console, if that is not possible here. Takes minutes.
 */
export async function createMachine(): Promise<Machine | undefined> {
  const skipped = (reason: string) => void console.error(`SKIPPED: tests of systemd need ${reason}.`)
  if (process.getuid?.() !== 0) return skipped('root')
  if (!Bun.which('unshare') || !Bun.which('nsenter')) return skipped('unshare and nsenter')
  const unified = cgroupDirectory()
  if (unified === undefined) return skipped('a mounted cgroup2')
  if (!Bun.which('debootstrap')) await command('apt-get', 'install', '--yes', '--no-install-recommends', 'debootstrap')
  if (!Bun.which('debootstrap')) return skipped('debootstrap, which apt-get can’t install here')
  // Not in a directory of mode nodev, as the one for temporary files may be.
  const parent = mkdtempSync('/var/tmp/petstore-machine-')
  const root = join(parent, 'root')
  const made = await command('debootstrap', '--variant=minbase', '--include=systemd', 'bookworm', root)
  if (made.code === 0) return machineIn(parent, root, join(unified, parent.replaceAll('/', '-')))
  rmSync(parent, { recursive: true, force: true })
  return skipped(`a Debian, which can’t be fetched here: ${made.err.trim().split('\n').at(-1)}`)
}

function machineIn(parent: string, root: string, cgroup: string): Machine {
  let child: Bun.Subprocess | undefined
  let init: string | undefined

  async function run(script: string) {
    const namespaces = ['-t', init ?? '', '-m', '-u', '-i', '-n', '-p', '-C', '-r', '-w']
    return await command('nsenter', ...namespaces, '/bin/sh', '-c', script)
  }

  async function cut(): Promise<void> {
    child?.kill('SIGKILL')
    if (init !== undefined) await command('kill', '-KILL', init)
    await child?.exited
    child = undefined
    init = undefined
    // A control group can be removed once its processes are gone.
    await until(async () => (await command('find', cgroup, '-depth', '-type', 'd', '-delete')).code === 0)
  }

  return {
    run,
    beside: (...words) =>
      Bun.spawn(['nsenter', '-t', init ?? '', '-n', ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' }),
    put(file, path) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      copyFileSync(file, join(root, path))
    },
    async boot() {
      mkdirSync(cgroup, { recursive: true })
      const enter = `echo $$ >"$0/cgroup.procs"; exec unshare --fork --kill-child --pid --mount --uts --ipc --cgroup --net /bin/sh "$1" "$2"`
      child = Bun.spawn(['/bin/sh', '-c', enter, cgroup, join(import.meta.dir, 'boot.sh'), root], {
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'inherit',
      })
      const { pid } = child
      await until(async () => {
        init = (await command('pgrep', '--parent', String(pid))).out.trim() || undefined
        if (init === undefined) return false
        const { out } = await run('systemctl is-system-running 2>/dev/null')
        return /^(running|degraded)/.test(out)
      })
    },
    cut,
    async remove() {
      await cut()
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** Waits until systemd, which works in real time, has done something. Throws after `longestMs`. */
export async function until(isSo: () => Promise<boolean>, longestMs = 60_000): Promise<void> {
  const endMs = Date.now() + longestMs
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`it did not happen within ${longestMs / 1_000} seconds`)
    await Bun.sleep(100)
  }
}

function cgroupDirectory(): string | undefined {
  return /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]
}

async function command(...words: string[]) {
  const child = Bun.spawn(words, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}
