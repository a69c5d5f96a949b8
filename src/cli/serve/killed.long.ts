/** First starts of the executable that are killed at any time. */

import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { executable, isBuilt, runPetstore } from '../../testing/executable.ts'
import { serversPerTest } from '../../testing/per-test/server.ts'

const { folder } = serversPerTest()

describe.skipIf(!isBuilt)('petstore serve', () => {
  test('after a first start that was killed at any time, the next start succeeds', async () => {
    for (let delayMs = 0; delayMs < 120; delayMs += 6) {
      const cwd = join(folder(), String(delayMs))
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'animals.csv'), 'name,category\nAda,Cat\n')
      const child = Bun.spawn([executable, 'serve', '--port', '0'], { cwd, stdout: 'ignore', stderr: 'ignore' })
      await Bun.sleep(delayMs)
      child.kill('SIGKILL')
      await child.exited
      const next = await runPetstore(['pets', 'import', 'animals.csv'], { cwd })
      expect([delayMs, next.code, next.err]).toEqual([delayMs, 0, next.err])
      expect(readdirSync(join(cwd, 'data')).filter((name) => name.includes('-new'))).toEqual([])
    }
  })
})
