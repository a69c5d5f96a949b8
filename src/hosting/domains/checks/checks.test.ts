import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLog } from '../../../lib/log.ts'
import { type DomainTestStore, openDomainStore } from '../testing/domain-store.ts'
import { type CheckTurns, createCheckTurns, pauseMs } from './check-turns.ts'
import { type CheckRunner, createCheckRunner } from './checks.ts'
import type { Platform } from './examine.ts'
import { createCheckSlots } from './queue.ts'

const names = ['a', 'b', 'c'].map((label) => `${label}.kiosk.example`)

let store: DomainTestStore
let slots: ReturnType<typeof createCheckSlots>
let runner: CheckRunner
let checkTurns: CheckTurns
let begun: string[]
let stored: string[]
beforeEach(async () => {
  store = await openDomainStore()
  store.setRecords('kiosk', '')
  const project = await store.newProject()
  for (const name of names) await store.add(project, name)
  const { app, clock } = store
  const { write } = app.domainHosting
  const platform = app.domainHosting.platform as Platform
  const counted: Platform = {
    ...platform,
    check(request, options) {
      begun.push(request.hostname)
      return platform.check(request, options)
    },
  }
  slots = createCheckSlots(clock)
  const log = createLog({ level: 'error', json: false, now: () => 0, write: () => {} })
  checkTurns = createCheckTurns(clock)
  runner = createCheckRunner({ ...app, platform: counted, write, clock, log, slots, checkTurns })
  begun = []
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

/** Takes the present turn of a result, and the ones that follow it. */
function takeResultTurns(count: number): void {
  for (let i = 0; i < count; i++) void checkTurns.results.next(() => true, new AbortController().signal)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

test('checks begin one after each pause', async () => {
  const checks = names.map(check)
  await checks[0]
  store.clock.advance(pauseMs - 1)
  await Bun.sleep(20)
  expect([begun, runner.inProgress()]).toEqual([names.slice(0, 1), 2])
  for (const i of [1, 2]) {
    store.clock.advance(1)
    await checks[i]
    expect(begun).toEqual(names.slice(0, i + 1))
    store.clock.advance(pauseMs - 1)
  }
})

test('results are stored one after each pause, and hold up no further check of their account meanwhile', async () => {
  takeResultTurns(2)
  const checks = names.slice(0, 2).map(check)
  await until(() => begun.length === 1)
  store.clock.advance(pauseMs)
  // Both were made, one after the other, and wait for their turn.
  await until(() => begun.length === 2 && slots.mayStart(store.own.accountId))
  expect([stored, runner.inProgress()]).toEqual([[], 2])
  store.clock.advance(pauseMs)
  await checks[0]
  store.clock.advance(pauseMs - 1)
  await Bun.sleep(20)
  expect(stored).toEqual(names.slice(0, 1))
  store.clock.advance(1)
  await checks[1]
  expect(runner.inProgress()).toBe(0)
})

test('a check that waits for a turn stores nothing after the service has stopped', async () => {
  takeResultTurns(1)
  const result = check(names[0] as string)
  await until(() => begun.length === 1 && slots.mayStart(store.own.accountId))
  const query = check(names[1] as string)
  await runner.close()
  await Promise.all([result, query])
  expect(names.map((name) => store.app.domains.claimsOf(name)[0]?.checkedAt)).toEqual([null, null, null])
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
