import { expect, test } from 'bun:test'
import { createAnnouncements, type Topic } from '../database/announcements.ts'
import { createManualClock } from '../lib/clock.ts'
import { testLog } from '../testing/site-listener.ts'
import { createHosts } from './hosts.ts'

test('hosts are found again after a change of routing, and not after a check that changes none', () => {
  const announcements = createAnnouncements(testLog([]))
  let finds = 0
  let changes = 0
  const find = createHosts({
    platformDomain: 'stores.example',
    sitesDomain: 'stores.example',
    platform: () => new Response('the API'),
    projects: { findBySlug: () => undefined },
    routes: {
      find() {
        finds++
        return { projectId: 1, serve: true, hsts: false, hasCertificate: true }
      },
      primaryOf: () => undefined,
    },
    siteOfProject: () => () => new Response('a site'),
    announcements,
    clock: createManualClock(0),
    onChange: () => changes++,
  })
  function commit(topic: Topic): void {
    announcements.declare(topic)
    announcements.transaction.keep()
    announcements.transaction.announce()
    find('www.kiosk.example')
  }
  find('www.kiosk.example')
  commit('domains')
  expect([finds, changes]).toEqual([1, 0])
  for (const topic of ['routing', 'projects', 'deploys', 'certificates'] as const) commit(topic)
  expect([finds, changes]).toEqual([5, 4])
})
