import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createWorkspace, isBuilt } from '../../testing/executable.ts'
import { hasSystemd } from './systemd.ts'

test.skipIf(!isBuilt || hasSystemd())('without systemd an installation prints the file for a container', async () => {
  const workspace = createWorkspace()
  const compose = readFileSync(new URL('../../../compose.yaml', import.meta.url), 'utf8')
  const refusal =
    'petstore: A service needs systemd, which does not run on this machine. Start "petstore serve" with the service manager of this machine, or in a container, with the compose.yaml that petstore service install prints.\n'
  expect(await workspace.run('service', 'install')).toEqual({ code: 1, out: '', err: `${compose}\n${refusal}` })
  expect(await workspace.run('service', 'uninstall')).toEqual({ code: 1, out: '', err: refusal })
  await workspace.close()
})

test.skipIf(!isBuilt)('files that are only shown are no JSON document', async () => {
  const workspace = createWorkspace()
  const { code, err } = await workspace.run('service', 'install', '--dry-run', '--json')
  expect([code, err]).toEqual([2, expect.stringContaining('--dry-run and --json exclude each other')])
  await workspace.close()
})
