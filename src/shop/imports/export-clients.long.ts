/** Exports of the executable whose clients are slow or go away. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder, executable, isBuilt, startPetstoreProcess } from '../../testing/executable.ts'
import { maximumExports } from './export.ts'

test.skipIf(!isBuilt)(
  'the executable reads no further than a slow client, and frees the export of one that disconnects',
  async () => {
    const place = emptyFolder()
    const server = await startPetstoreProcess([], { cwd: place.path })
    const headers = { Authorization: `Bearer ${server.ready.key}` }
    const rows = `name,category\n${Array.from({ length: 100_000 }, (_, i) => `Rex ${i},Dog\n`).join('')}`
    await Bun.write(join(place.path, 'pets.csv'), rows)
    expect(
      await Bun.spawn([executable, 'pets', 'import', 'pets.csv'], { cwd: place.path, stdout: 'ignore' }).exited,
    ).toBe(0)
    const path = `${server.ready.url}/v1/exports/pets`
    const head = await fetch(path, { method: 'HEAD', headers })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, null])
    // More clients than exports: each disconnects in the middle.
    for (let i = 0; i < maximumExports + 2; i++) {
      const aborting = new AbortController()
      const response = await fetch(path, { headers, signal: aborting.signal })
      const reader = response.body?.getReader()
      await reader?.read()
      aborting.abort()
      await reader?.read().catch(() => {})
    }
    let complete = await fetch(path, { headers })
    for (let i = 0; i < 50 && complete.status === 503; i++) {
      await Bun.sleep(100)
      complete = await fetch(path, { headers })
    }
    expect((await complete.text()).split('\r\n')).toHaveLength(100_002)
    await server.kill()
    place.remove()
  },
)
