import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOldStore, olderVersions } from '../../database/testing/old-store.ts'
import { openStore } from '../../operate/backups/before-migration.ts'
import { listBackups } from '../../operate/backups/folder.ts'
import { verifyBackup } from '../../operate/backups/verify.ts'
import { emptyFolder, executable, isBuilt } from '../../testing/executable.ts'

const strace = Bun.which('strace')
if (!strace) console.error('SKIPPED: killing an upgrade at every step needs strace.')

/** The system calls that change files, without those by which SQLite writes pages. */
const steps = ['rename', 'unlink', 'ftruncate', 'fsync', 'fchmod']

describe.skipIf(!isBuilt || !strace)('kill -9 at any step of the replacement of an executable', () => {
  const folder = emptyFolder()
  const prepared = join(folder.path, 'prepared')
  const machine = join(folder.path, 'machine')
  const file = join(folder.path, 'new')
  const place = { databasePath: join(machine, 'data/production.db'), environment: 'production' } as const
  const child = join(import.meta.dir, 'testing/replace-child.ts')

  beforeAll(() => {
    mkdirSync(join(prepared, 'bin'), { recursive: true })
    mkdirSync(join(prepared, 'data'))
    for (const [path, name] of [
      [join(prepared, 'bin/petstore'), 'old'],
      [file, 'new'],
    ] as const) {
      writeFileSync(path, `#!/bin/sh\nexec ${executable} "$@" # ${name}\n`)
      chmodSync(path, 0o755)
    }
    createOldStore(join(prepared, 'data/production.db'), olderVersions.at(-1) ?? 27, (table) => table === 'audit')
    openStore({ ...place, databasePath: join(prepared, 'data/production.db') }, { now: Date.now, report() {} }).close()
    rmSync(join(prepared, 'data/backups'), { recursive: true })
  })
  afterAll(() => folder.remove())

  /** Replaces the executable in a fresh copy of the machine, with `injected` for the calls of `step`. */
  function replaceStopped(step: string, injected: string): number | null {
    rmSync(machine, { recursive: true, force: true })
    cpSync(prepared, machine, { recursive: true })
    const tracing = ['-f', '-o', '/dev/null', '-e', `trace=${step}`, '-e', `inject=${step}:${injected}`]
    return Bun.spawnSync([strace ?? '', ...tracing, process.execPath, child, file, machine]).exitCode
  }

  test('leaves an executable that opens the store, and the same command completes the upgrade', () => {
    let kills = 0
    const found = new Set<boolean>()
    for (const step of steps) {
      for (let nth = 1; replaceStopped(step, `signal=KILL:when=${nth}`) !== 0; nth++) {
        expect(nth).toBeLessThan(200)
        const installed = readFileSync(join(machine, 'bin/petstore'), 'utf8')
        expect(installed).toMatch(/# (old|new)\n$/)
        found.add(installed.endsWith('# new\n'))
        for (const backup of listBackups(place)) verifyBackup(backup.file, 'production')
        const again = Bun.spawnSync([process.execPath, child, file, machine])
        expect([again.exitCode, again.exitCode === 0 ? '' : again.stderr.toString()]).toEqual([0, ''])
        expect(readFileSync(join(machine, 'bin/petstore'), 'utf8')).toEndWith('# new\n')
        expect(readFileSync(join(machine, 'bin/petstore.previous'), 'utf8')).toEndWith('# old\n')
        const started = Bun.spawnSync([join(machine, 'bin/petstore'), 'keys', 'list', '--data', join(machine, 'data')])
        expect(started.exitCode).toBe(0)
        kills++
      }
    }
    expect([...found].sort()).toEqual([false, true])
    expect(kills).toBeGreaterThan(20)
  }, 600_000)
})
