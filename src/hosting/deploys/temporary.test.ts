import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isBuilt } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'
import { buildZip } from './testing/zip.ts'

const workspace = workspacePerTest()

test.skipIf(!isBuilt)(
  'without a directory for temporary files, a deploy to a store in memory gets a 503 that names it',
  async () => {
    const missing = join(workspace.path, 'missing')
    const { ready } = await workspace.serve(['--ephemeral'], ['/usr/bin/env', `TMPDIR=${missing}`])
    const post = async (path: string, type: string, body: BodyInit) => {
      const headers = { Authorization: `Bearer ${ready.key}`, 'Content-Type': type }
      return (await fetch(`${ready.url}/v1${path}`, { method: 'POST', headers, body })).json()
    }
    await post('/projects', 'application/json', '{"name":"Paws"}')
    const archive = new Blob([buildZip([{ name: 'index.html', content: 'Paws' }]) as Uint8Array<ArrayBuffer>])
    expect(await post('/projects/1/deploys', 'application/zip', archive)).toMatchObject({
      status: 503,
      code: 'storage_unavailable',
      message: `The directory for temporary files, ${missing}, can't be used: there is no such file. Nothing was changed; start the service with TMPDIR set to another one.`,
    })
  },
)
