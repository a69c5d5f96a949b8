/** Commands beside a server that hangs. */

import { afterAll, expect, test } from 'bun:test'
import {
  emptyFolder,
  executable,
  isBuilt,
  type PetstoreProcess,
  startPetstoreProcess,
} from '../../testing/executable.ts'

const folder = emptyFolder()
let server: PetstoreProcess | undefined
afterAll(async () => {
  await server?.kill()
  folder.remove()
})

test.skipIf(!isBuilt)('a command says that it waits for a server that has not answered for ten seconds', async () => {
  server = await startPetstoreProcess(['--data', folder.path], { cwd: folder.path })
  process.kill(server.ready.pid, 'SIGSTOP')
  const command = Bun.spawn([executable, 'keys', 'list', '--json', '--data', folder.path], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  for await (const bytes of command.stderr) {
    said += new TextDecoder().decode(bytes)
    process.kill(server.ready.pid, 'SIGCONT')
  }
  expect(said).toBe('petstore: The server has not answered for 10 seconds: it is busy or stuck. Still waiting.\n')
  expect(JSON.parse(await new Response(command.stdout).text())).toHaveLength(1)
  expect(await command.exited).toBe(0)
})
