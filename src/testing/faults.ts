/**
 * Real faults for tests: strace makes system calls fail, and a tmpfs is a small disk. Prints a line if either is
 * missing.
 */

import { closeSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'

const strace = Bun.which('strace')
if (!strace) console.error('SKIPPED: tests of disk errors need strace.')

/**
 * Makes system calls of a running process fail until `stop`. `fault` is an expression of `strace -e inject`, such as
 * `fsync:error=EIO`; with `paths`, only calls on these files fail.
 */
export async function injectErrors(pid: number, fault: string, paths: readonly string[] = []) {
  const [calls] = fault.split(':')
  const filter = paths.flatMap((path) => ['-P', path])
  const options = [
    '-f',
    '-p',
    String(pid),
    ...filter,
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${fault}`,
    '-o',
    '/dev/null',
  ]
  const tracer = Bun.spawn([strace ?? '', ...options], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const reader = tracer.stderr.getReader()
  const decoder = new TextDecoder()
  for (let text = ''; !text.includes('attached'); ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`strace: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  return {
    async stop(): Promise<void> {
      if (tracer.exitCode === null) tracer.kill('SIGINT')
      await tracer.exited
    },
  }
}
injectErrors.isPossible = strace !== null

/** Mounts a disk of `bytes` at `path`. */
export function mountDisk(path: string, bytes: number) {
  mkdirSync(path, { recursive: true })
  mount(['-t', 'tmpfs', '-o', `size=${bytes}`, 'petstore-test', path])
  return {
    path,
    /** Fills the disk with one file; returns its path. */
    fill(): string {
      const name = join(path, 'filler')
      const file = openSync(name, 'a')
      try {
        const chunk = Buffer.alloc(4096)
        for (;;) writeSync(file, chunk)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
      return name
    },
    makeReadOnly: (): void => mount(['-o', 'remount,ro', path]),
    makeWritable: (): void => mount(['-o', 'remount,rw', path]),
    unmount(): void {
      Bun.spawnSync(['umount', '-l', path])
    },
  }
}
mountDisk.isPossible = canMount()
if (!mountDisk.isPossible) console.error('SKIPPED: tests of full disks need the right to mount a tmpfs.')

function canMount(): boolean {
  const path = join(import.meta.dir, `../../node_modules/.mount-${process.pid}`)
  mkdirSync(path, { recursive: true })
  const { success } = Bun.spawnSync(['mount', '-t', 'tmpfs', 'petstore-test', path], { stderr: 'ignore' })
  if (success) Bun.spawnSync(['umount', path])
  return success
}

function mount(options: readonly string[]): void {
  const { success, stderr } = Bun.spawnSync(['mount', ...options])
  if (!success) throw new Error(`mount: ${stderr.toString()}`)
}

/**
 * Mounts an ext4 at `path` that can find an error in itself, as one on a failing disk does: it then rejects every
 * write.
 */
export function mountExt4(path: string) {
  const image = `${path}.ext4`
  Bun.spawnSync(['truncate', '-s', '40M', image])
  Bun.spawnSync(['mkfs.ext4', '-q', image])
  mkdirSync(path, { recursive: true })
  mount(['-o', 'loop,errors=remount-ro', image, path])
  return {
    breakDown(): void {
      const device = Bun.spawnSync(['findmnt', '-no', 'SOURCE', path]).stdout.toString().trim()
      writeFileSync(join('/sys/fs/ext4', basename(device), 'trigger_fs_error'), '1')
    },
    unmount(): void {
      Bun.spawnSync(['umount', '-l', path])
    },
  }
}
mountExt4.isPossible =
  mountDisk.isPossible &&
  existsSync('/dev/loop-control') &&
  Bun.which('mkfs.ext4') !== null &&
  existsSync('/sys/fs/ext4')
if (!mountExt4.isPossible) console.error('SKIPPED: tests of a broken file system need loop devices and mkfs.ext4.')
