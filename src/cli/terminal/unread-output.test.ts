import { describe, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { executable, isBuilt } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const canRun = isBuilt && Bun.which('bash') !== null && Bun.which('mkfifo') !== null
if (!canRun) console.error('SKIPPED: tests of unread outputs need bash and mkfifo.')

const workspace = workspacePerTest()

/** Runs a line of Bash, in which `petstore` is the executable. */
function bash(line: string) {
  const script = `petstore() { "$0" "$@"; }; ${line}`
  const { exitCode, stderr } = Bun.spawnSync(['bash', '-c', script, executable], { cwd: workspace.path })
  return { code: exitCode, err: stderr.toString() }
}

/** Makes the file descriptor 3 a pipe whose reader has exited. */
const closedPipe = 'exec 3> >(exec true); wait $!;'

describe.skipIf(!canRun)('a command', () => {
  test('whose reader has exited has the exit code that it has with a reader', () => {
    writeFileSync(join(workspace.path, 'bad.csv'), 'name,category\n,Dog\n')
    expect(bash(`${closedPipe} petstore pets import bad.csv --json >&3`).code).toBe(1)
    expect(bash(`${closedPipe} petstore keys list --json >&3`)).toEqual({ code: 0, err: '' })
  })

  test('of which the output finds a full disk fails, even if it waits for signals', async () => {
    await workspace.run('demo')
    await workspace.run('projects', 'create', 'Paws')
    mkdirSync(join(workspace.path, 'site'))
    writeFileSync(join(workspace.path, 'site/index.html'), 'Paws')
    for (const command of ['keys list', 'deploy site --project paws']) {
      const { code, err } = bash(`petstore ${command} >/dev/full`)
      expect([command, code, err]).toEqual([command, 1, "petstore: The output can't be written: the disk is full.\n"])
    }
  })
})

test.skipIf(!canRun)('a service ends after SIGTERM while nobody reads its log', async () => {
  const pipe = join(workspace.path, 'pipe')
  Bun.spawnSync(['mkfifo', pipe])
  const reader = openSync(pipe, 'r+')
  const { ready, stop } = await workspace.serve(['--log-level', 'debug'], ['sh', '-c', 'exec "$0" "$@" 2>pipe'])
  // A pipe holds 64 KiB.
  for (let i = 0; i < 100; i++) await fetch(`${ready.url}/${'x'.repeat(2_000)}`)
  expect(await stop()).toBe(0)
  closeSync(reader)
})
