import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestReply } from '../../../dns/testing/dns-server.ts'
import { type DomainTestStore, openDomainStore } from '../testing/domain-store.ts'
import { checksPerMinute, maximumRunning } from './queue.ts'

const www = 'www.kiosk.example'
/** Longer than a test. */
const longMs = 600_000

let store: DomainTestStore
/** Until then no server answers, and no check ends. */
let release: () => void
beforeEach(async () => {
  const { promise, resolve } = Promise.withResolvers<TestReply>()
  release = () => resolve({ rcode: 2 })
  const limits = { udpTimeoutsMs: [longMs], tcpTimeoutMs: longMs, totalMs: longMs }
  store = await openDomainStore({ resolve: () => promise, limits })
})
afterEach(async () => {
  release()
  await store.close()
})

async function newOwner() {
  const { key } = await store.newKey({ plan: 'pro' })
  const project = await store.newProject(key)
  await store.add(project, www, {}, key)
  return {
    verify: () => store.verify(project, www, key),
    checkedAt: async () => (await store.get(project, www, key)).json.dns.checkedAt,
  }
}

/** As many requests of different accounts as run at a time, and one that waits for its turn. */
async function requestChecks() {
  const owners = await Promise.all(Array.from({ length: maximumRunning + 1 }, newOwner))
  const responses = Promise.all(owners.map(({ verify }) => verify()))
  while (store.app.domainHosting.checks?.inProgress() !== owners.length) await Bun.sleep(1)
  const checkedAt = () => Promise.all(owners.map((owner) => owner.checkedAt()))
  return { responses, checkedAt }
}

test('a request that has waited for 25 seconds gets the stored state, and its check goes on', async () => {
  const { responses, checkedAt } = await requestChecks()
  store.clock.skip(25_000)
  for (const { status, json } of await responses) {
    expect([status, json.dns]).toMatchObject([200, { status: 'pending', checkedAt: null }])
  }
  release()
  await store.settled()
  expect(await checkedAt()).not.toContain(null)
})

test('checks that are running or waiting when the service stops store nothing', async () => {
  const { responses, checkedAt } = await requestChecks()
  await store.app.domainHosting.close()
  expect((await responses).map(({ status }) => status)).toEqual(Array(maximumRunning + 1).fill(200))
  expect(new Set(await checkedAt())).toEqual(new Set([null]))
})

test('a rejected request begins no check', async () => {
  release()
  const { verify } = await newOwner()
  for (let i = 0; i < checksPerMinute; i++) expect((await verify()).status).toBe(200)
  expect((await verify()).status).toBe(429)
  expect(store.app.domainHosting.checks?.inProgress()).toBe(0)
})
