import { expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { systemClock } from './clock.ts'
import { createSubprocesses } from './subprocess.ts'

/**
 * Runs two tasks in a separate program, because the programs of a running one are found by the `PATH` of its start.
 */
const program = `
  import { systemClock } from ${JSON.stringify(join(import.meta.dir, 'clock.ts'))}
  import { createSubprocesses } from ${JSON.stringify(join(import.meta.dir, 'subprocess.ts'))}
  const { run } = createSubprocesses(['sh', '-c', 'echo "{\\\\"result\\\\":$$}"', 'sh'], systemClock)
  await run('foreground', {})
  console.log(await run('background', {}, { inBackground: true }))`

test('a process in the background gives way to others, and one whose result somebody awaits does not', async () => {
  const folder = emptyFolder()
  const asked = join(folder.path, 'asked')
  writeFileSync(join(folder.path, 'chrt'), `#!/bin/sh\necho "$@" >>${asked}\n`)
  chmodSync(join(folder.path, 'chrt'), 0o700)
  const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}` }
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program], { env })
  expect(stderr.toString()).toBe('')
  while (!existsSync(asked) || readFileSync(asked, 'utf8') === '') await new Promise((done) => setImmediate(done))
  expect(readFileSync(asked, 'utf8')).toBe(`--all-tasks --idle --pid 0 ${stdout.toString()}`)
  folder.remove()
})

test('a process that uses more memory than it may is ended, and the error says so', async () => {
  // Without an end of a line, tail keeps all of its input.
  const { run } = createSubprocesses(['sh', '-c', 'exec tail /dev/zero', 'sh'], systemClock)
  await expect(run('task', {}, { memoryBytes: 50_000_000 })).rejects.toThrow('it needed more than 50 MB of memory')
})
