import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, makeStore, runPetstore } from '../../testing/executable.ts'

describe.skipIf(!isBuilt)('Ctrl+C', () => {
  async function importFromPipe() {
    const folder = emptyFolder()
    makeStore(folder.path)
    return {
      path: folder.path,
      start: () =>
        Bun.spawn([executable, 'pets', 'import', '-', '--format', 'csv'], {
          cwd: folder.path,
          stdin: 'pipe',
          stderr: 'pipe',
        }),
      [Symbol.dispose]: () => folder.remove(),
    }
  }

  test('while an import without a server waits for its input imports nothing', async () => {
    using store = await importFromPipe()
    const child = store.start()
    // More than a pipe holds: the command has begun to read.
    child.stdin.write(`name,category\n${'Rex,Dog\n'.repeat(100_000)}`)
    await child.stdin.flush()
    child.kill('SIGINT')
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
      1,
      'petstore: Interrupted. Nothing was imported.\n',
    ])
    const { out } = await runPetstore(['pets', 'export', '--json'], { cwd: store.path })
    expect(JSON.parse(out)).toEqual([])
  })

  test('when the file of an import has arrived says that the service may continue', async () => {
    using store = await importFromPipe()
    const received = Promise.withResolvers<void>()
    const listener = createServer((socket) => {
      let end = ''
      socket.on('error', () => {})
      socket.on('data', (data) => {
        end = (end + data.toString('latin1')).slice(-5)
        if (end === '0\r\n\r\n') received.resolve()
      })
    })
    await new Promise<void>((resolve) => listener.listen(join(store.path, 'data/production.sock'), resolve))
    const child = store.start()
    child.stdin.write('name,category\nRex,Dog\n')
    child.stdin.end()
    await received.promise
    child.kill('SIGINT')
    const message =
      'petstore: Interrupted. The service may still add the animals that it has received. The dashboard lists imports and can undo them.\n'
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([1, message])
    listener.close()
  })
})
