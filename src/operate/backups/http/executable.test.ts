import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkspace, isBuilt, type PetstoreProcess, type Workspace } from '../../../testing/executable.ts'

describe.skipIf(!isBuilt)('the executable', () => {
  let workspace: Workspace
  let server: PetstoreProcess
  beforeEach(async () => {
    workspace = createWorkspace()
    server = await workspace.serve()
  })
  afterEach(() => workspace.close())

  const call = (method: string, path = '') =>
    fetch(`${server.ready.url}/v1/backups${path}`, {
      method,
      headers: { Authorization: `Bearer ${server.ready.key}` },
    })
  const create = async () => {
    const made = await call('POST')
    expect(made.status).toBe(201)
    return (await made.json()) as { name: string; bytes: number }
  }
  const verify = async (name: string) => (await call('POST', `/${name}/verify`)).json()

  test('creates a backup with itself, which the commands list and restore', async () => {
    const { name, bytes } = await create()
    expect(await verify(name)).toMatchObject({ name, ok: true, keys: 1 })
    expect((await (await call('GET', `/${name}`)).arrayBuffer()).byteLength).toBeGreaterThan(bytes)
    expect((await call('HEAD', `/${name}`)).headers.get('content-length')).toBeNull()
    expect(JSON.parse((await workspace.run('backup', 'list', '--json')).out)).toMatchObject([{ bytes }])
    await server.kill()
    expect((await workspace.run('backup', 'restore', name)).code).toBe(0)
  })

  test('verifies the backup in the data directory, not a file of the same name in the working directory', async () => {
    const { name } = await create()
    const [backup, other] = [join(workspace.path, 'data', 'backups', name), join(workspace.path, name)]
    const content = readFileSync(backup)
    writeFileSync(other, 'not a backup')
    expect(await verify(name)).toMatchObject({ ok: true, fault: null })
    writeFileSync(other, content)
    writeFileSync(backup, 'damaged')
    expect(await verify(name)).toMatchObject({ ok: false, fault: expect.stringContaining(backup) })
  })
})
