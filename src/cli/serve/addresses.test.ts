import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { isBuilt } from '../../testing/executable.ts'
import { workspacePerTest } from '../../testing/per-test/workspace.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
if (!hasIpv6) console.error('SKIPPED: tests of IPv6 addresses need the address ::1.')

const workspace = workspacePerTest()

test.skipIf(!isBuilt || !hasIpv6)('an IPv6 address to listen on may be in brackets, as in a URL', async () => {
  const { ready, stop } = await workspace.serve(['--host', '[::1]'])
  expect(ready.url).toBe(`http://[::1]:${ready.port}`)
  expect(ready.setupUrl).toStartWith(`${ready.url}/dashboard/setup#token=`)
  expect((await fetch(`${ready.url}/healthz`)).status).toBe(200)
  expect(await stop()).toBe(0)
  const text = await workspace.terminalText('--ephemeral', '--host', '[::1]')
  // Outside of quotes, brackets are a pattern for the shell.
  expect(text).toMatch(/\n {2}ssh -L '(\d+):\[::1\]:\1' USER@/)
  expect(text).toMatch(/\n {2}curl .* 'http:\/\/\[::1\]:\d+\/v1\/pets'\n/)
})
