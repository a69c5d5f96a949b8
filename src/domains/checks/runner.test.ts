import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLog } from '../../lib/log.ts'
import { type DomainTestStore, openDomainStore } from '../testing/domain-store.ts'
import type { Platform } from './examine.ts'
import { createResultTurns, pauseMs } from './result-turns.ts'
import { type CheckRunner, createCheckRunner } from './runner.ts'
import { createCheckSlots } from './slots.ts'

const names = ['a', 'b', 'c'].map((label) => `${label}.kiosk.example`)

let store: DomainTestStore
let slots: ReturnType<typeof createCheckSlots>
let runner: CheckRunner
let stored: string[]
beforeEach(async () => {
  store = await openDomainStore()
  store.setRecords('kiosk', '')
  const project = await store.newProject()
  for (const name of names) await store.add(project, name)
  const { app, clock } = store
  const { platform, write } = app.domainHosting
  slots = createCheckSlots(clock)
  const log = createLog({ level: 'error', json: false, now: () => 0, write: () => {} })
  const resultTurns = createResultTurns(clock)
  runner = createCheckRunner({ ...app, platform: platform as Platform, write, clock, log, slots, resultTurns })
  stored = []
})
afterEach(async () => {
  await runner.close()
  await store.close()
})

function check(name: string): Promise<unknown> {
  const [row] = store.app.domains.claimsOf(name)
  const check = runner.check(row?.id ?? 0, store.own.accountId)
  return check.stored.then(() => stored.push(name))
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

test('results are stored one after each pause, and hold up no further check of their account meanwhile', async () => {
  const checks = names.map(check)
  // All three were made, one after the other, and two wait for their turn.
  await until(() => stored.length === 1 && slots.mayStart(store.own.accountId))
  expect([stored, runner.inProgress()]).toEqual([['a.kiosk.example'], 2])
  store.clock.advance(pauseMs - 1)
  await Bun.sleep(20)
  expect(stored).toHaveLength(1)
  store.clock.advance(1)
  await checks[1]
  expect(stored).toEqual(['a.kiosk.example', 'b.kiosk.example'])
  store.clock.advance(pauseMs)
  await checks[2]
  expect(runner.inProgress()).toBe(0)
})

test('a result that waits for its turn is not stored after the service has stopped', async () => {
  const checks = names.map(check)
  await until(() => stored.length === 1 && slots.mayStart(store.own.accountId))
  await runner.close()
  await Promise.all(checks)
  const checked = names.map((name) => store.app.domains.claimsOf(name)[0]?.checkedAt !== null)
  expect(checked).toEqual([true, false, false])
})

test('the eleventh request of an account in a minute begins no check', async () => {
  for (let i = 0; i < 10; i++) {
    const done = check(names[0] as string)
    store.clock.advance(pauseMs)
    await done
  }
  expect(() => check(names[1] as string)).toThrow('More than 10 checks')
  expect(runner.inProgress()).toBe(0)
})
