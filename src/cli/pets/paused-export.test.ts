import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, runPetstore, startPetstoreProcess } from '../../testing/executable.ts'

const mkfifo = Bun.which('mkfifo')
if (!mkfifo) console.error('SKIPPED: tests of a paused export need mkfifo.')

let folder: ReturnType<typeof emptyFolder>
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

/** Starts an export whose reader reads one byte and then pauses, as `less` does. */
function startPausedExport() {
  const path = join(folder.path, 'pipe')
  Bun.spawnSync([mkfifo ?? '', path])
  const pipe = openSync(path, 'r+')
  const child = Bun.spawn([executable, 'pets', 'export'], { cwd: folder.path, stdout: pipe, stderr: 'ignore' })
  readSync(pipe, Buffer.alloc(1))
  return {
    async end() {
      child.kill('SIGKILL')
      await child.exited
      closeSync(pipe)
    },
  }
}

describe.skipIf(!isBuilt || !mkfifo)('beside a paused export', () => {
  test('another command ends at once, and the server keeps writing', async () => {
    const stdin = `name,categoryId\n${'A name of some length,1\n'.repeat(10_000)}`
    await runPetstore(['pets', 'import', '-'], { cwd: folder.path, stdin })
    const server = await startPetstoreProcess([], { cwd: folder.path })
    const plan = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000']
    const { out } = await runPetstore(['keys', 'create', '--name', 'Till', ...plan, '--json'], { cwd: folder.path })
    const headers = { Authorization: `Bearer ${JSON.parse(out).key}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
    const add = async () => (await fetch(`${server.ready.url}/v1/pets`, { method: 'POST', headers, body })).status
    const paused = startPausedExport()
    // The export reads an older state than this write, and keeps a checkpoint from completing.
    expect(await add()).toBe(201)
    const startMs = performance.now()
    let hasEnded = false
    const command = runPetstore(['keys', 'list', '--json'], { cwd: folder.path }).then(({ code }) => {
      hasEnded = true
      return code
    })
    const statuses = new Set<number>()
    while (!hasEnded) statuses.add(await add())
    expect([await command, [...statuses]]).toEqual([0, [201]])
    expect(performance.now() - startMs).toBeLessThan(4_000)
    await paused.end()
    expect(await server.stop()).toBe(0)
  }, 60_000)
})
