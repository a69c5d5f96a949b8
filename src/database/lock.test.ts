import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../testing/executable.ts'
import { lockForServing } from './lock.ts'

let folder: ReturnType<typeof emptyFolder>
let path: string
beforeEach(() => {
  folder = emptyFolder()
  path = join(folder.path, 'production.db')
})
afterEach(() => folder.remove())

test('the lock has one holder at a time, and is free after its release', () => {
  const unlock = lockForServing(path)
  expect(() => lockForServing(path)).toThrow(`Another petstore, a server or a command, is using ${path}`)
  unlock()
  lockForServing(path)()
})

const setpriv = Bun.which('setpriv') ?? ''
const asNobody = process.getuid?.() === 0 ? [setpriv, '--reuid=65534', '--clear-groups'] : []
const canTestPermissions =
  asNobody[0] === undefined ||
  (setpriv !== '' && Bun.spawnSync([...asNobody, 'test', '-r', join(import.meta.dir, 'lock.ts')]).exitCode === 0)
if (!canTestPermissions) {
  console.error('SKIPPED: root may write everything; giving that up needs setpriv and sources that everybody may read.')
}

test.skipIf(!canTestPermissions)(
  'a lock file that is not writable is rejected, because its lock would exclude no process',
  () => {
    writeFileSync(`${path}-serving`, '')
    chmodSync(`${path}-serving`, 0o444)
    chmodSync(folder.path, 0o755)
    const script = `
    const { lockForServing } = await import(${JSON.stringify(join(import.meta.dir, 'lock.ts'))})
    lockForServing(${JSON.stringify(path)})`
    const { exitCode, stderr } = Bun.spawnSync([...asNobody, process.execPath, '-e', script])
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toContain(`${path}-serving can't be locked: it is not writable.`)
  },
)
