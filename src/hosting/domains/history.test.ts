import { expect, test } from 'bun:test'
import { openTestStore } from '../../testing/harness.ts'
import { keptEvents } from './history.ts'

test('the newest events of a domain are kept, and those of other domains are not touched', async () => {
  const { app, call, close } = await openTestStore()
  const { id: projectId } = (await call('POST', '/v1/projects', { body: { name: 'Shop' } })).json
  const { domainHistory } = app
  const record = (hostname: string, at: number) =>
    domainHistory.add({ projectId, hostname, at, type: 'changed', message: `change ${at}` })
  await app.writer.write(() => {
    record('b.example', 0)
    for (let at = 0; at < keptEvents + 20; at++) record('a.example', at)
  })
  const page = (hostname: string) => domainHistory.page(projectId, hostname, Number.MAX_SAFE_INTEGER, 10_000)
  const times = page('a.example').map(({ at }) => at)
  expect([times.length, times[0], times.at(-1)]).toEqual([keptEvents, keptEvents + 19, 20])
  expect(page('b.example')).toHaveLength(1)
  await close()
})
