import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkspace, isBuilt, type PetstoreProcess, type Workspace } from '../../testing/executable.ts'
import { imageBytes } from './testing/images.ts'

describe.skipIf(!isBuilt)('the executable', () => {
  let workspace: Workspace
  let server: PetstoreProcess
  beforeEach(async () => {
    workspace = createWorkspace()
    server = await workspace.serve()
    await call('POST', '/v1/pets', JSON.stringify({ name: 'Ada', categoryId: 2 }), 'application/json')
  })
  afterEach(() => workspace.close())

  function call(method: string, path: string, body: Uint8Array | string, type: string) {
    return fetch(`${server.ready.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${server.ready.key}`, 'Content-Type': type },
      body: new Blob([body as never]),
    })
  }
  const add = (bytes: Uint8Array) => call('POST', '/v1/pets/1/photos', bytes, 'image/jpeg')

  test('encodes photos in a process of its own, and restores them from a backup', async () => {
    const damaged = await add((await imageBytes('jpeg', 600, 400)).subarray(0, -2))
    expect(await damaged.json()).toMatchObject({ code: 'invalid_body' })
    const added = await add(await imageBytes('jpeg', 2_400, 1_600))
    expect(added.status).toBe(201)
    const photo = (await added.json()) as { large: string; width: number; height: number }
    expect(photo).toMatchObject({ width: 1_920, height: 1_280 })
    const load = async () => {
      const response = await fetch(server.ready.url + photo.large)
      return { status: response.status, bytes: await response.bytes() }
    }
    const before = await load()
    expect(await new Bun.Image(before.bytes).metadata()).toMatchObject({ width: 1_920, format: 'jpeg' })
    await workspace.run('backup', 'create')
    await server.kill()
    rmSync(join(workspace.path, 'data', 'production-files'), { recursive: true })
    const [{ file }] = JSON.parse((await workspace.run('backup', 'list', '--json')).out)
    expect((await workspace.run('backup', 'restore', file)).code).toBe(0)
    server = await workspace.serve()
    expect(await load()).toEqual(before)
  })
})
