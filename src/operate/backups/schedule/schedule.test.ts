import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../../app/app.ts'
import type { BackupConfig } from '../../../config/backups.ts'
import { createManualClock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/error.ts'
import { silentLog } from '../../../lib/log.ts'
import { openTestDashboard, type TestDashboard } from '../../../owner/testing/dashboard.ts'
import { emptyFolder, petstoreCommand as self } from '../../../testing/executable.ts'
import { testStart } from '../../../testing/harness.ts'
import { missedWaitMs, retryWaitMs } from './schedule.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

let folder: ReturnType<typeof emptyFolder>
let store: TestDashboard
/** The runs of the schedule that have begun. */
let runs: Promise<unknown>[]
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

/** The test begins at 10:15 UTC, the zone of tests. */
async function open(given: Partial<BackupConfig> = { at: '11:00' }, command = self): Promise<void> {
  const backups = { at: undefined, keep: undefined, heartbeatUrl: undefined, ...given }
  store = await openTestDashboard({ databasePath: join(folder.path, 'production.db'), self: command, backups })
  runs = []
  const { schedule } = store.app.backupWork
  store.app.backupWork.schedule = (...args) => {
    const run = schedule(...args)
    runs.push(run.catch(() => {}))
    return run
  }
}

/** Waits for the runs that have begun, and for their results. */
async function settle(): Promise<void> {
  await Promise.all(runs)
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
  await store.app.writer.write(() => {})
}

/** Lets time pass, a minute at a time. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += minuteMs) {
    store.clock.advance(minuteMs)
    await settle()
  }
}

const names = () => {
  const directory = join(folder.path, 'backups')
  return existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith('.db'))
        .sort()
    : []
}
const view = () => store.app.backupSchedule.view()
const failures = () => store.app.attention.items(store.clock.now()).filter(({ kind }) => kind === 'backup_failed')
/** Closes the store, and makes it one of the week before. */
async function closeAndAge(): Promise<void> {
  await store.close()
  const database = new Database(join(folder.path, 'production.db'))
  database.run('UPDATE accounts SET created_at = ?', [testStart - 7 * dayMs])
  database.close()
}

test('a backup is made each day at the time, and the result is reported', async () => {
  await open()
  expect(view()).toMatchObject({ at: '11:00', isAtGiven: true, nextAt: '2026-11-20T11:00:00.000Z', last: null })
  await pass(44 * minuteMs)
  expect(names()).toEqual([])
  await pass(2 * minuteMs)
  const [first = ''] = names()
  expect(first).toStartWith('production-scheduled-20261120T110')
  expect(view()).toMatchObject({ nextAt: '2026-11-21T11:00:00.000Z', last: { name: first, error: null } })
  await pass(3 * hourMs)
  expect(names()).toHaveLength(1)
  store.clock.skip(dayMs)
  await settle()
  await pass(minuteMs)
  expect(names()).toHaveLength(2)
  expect((await store.call('GET', '/v1/audit?action=backup')).json[1]).toMatchObject({
    action: 'backup.created',
    actor: 'system',
    details: { name: first },
  })
}, 60_000)

test('a new store has missed nothing; what an older one has missed is made five minutes after the start', async () => {
  await open({ at: '10:10' })
  await pass(10 * minuteMs)
  expect([runs, view()?.nextAt]).toEqual([[], '2026-11-21T10:10:00.000Z'])
  await closeAndAge()
  await open({ at: '10:10' })
  expect(view()?.nextAt).toBe('2026-11-20T10:20:00.000Z')
  await pass(missedWaitMs - minuteMs)
  expect(runs).toEqual([])
  await pass(2 * minuteMs)
  expect([runs.length, names().length, view()?.nextAt]).toEqual([1, 1, '2026-11-21T10:10:00.000Z'])
}, 60_000)

test('a clock that jumps a year in either direction costs no backup, and one a day is made', async () => {
  await open()
  await pass(60 * minuteMs)
  expect(names()).toHaveLength(1)
  for (const years of [1, -1]) {
    store.clock.setWall(testStart + years * 365 * dayMs)
    await pass(2 * hourMs)
  }
  store.clock.setWall(testStart + dayMs)
  await pass(2 * hourMs)
  expect([...new Set(names().map((name) => name.slice(21, 29)))]).toEqual([
    '20251120',
    '20261120',
    '20261121',
    '20271120',
  ])
}, 60_000)

test('a backup that ends with the service is no failure, and is made up for', async () => {
  await open({ at: '10:17' }, ['sh', '-c', 'exec sleep 600', 'sh'])
  while (runs.length === 0) {
    store.clock.advance(minuteMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await store.close()
  await open({ at: '10:17' })
  expect([view()?.last, failures()]).toEqual([null, []])
  await pass(3 * minuteMs)
  expect(names()).toHaveLength(1)
}, 60_000)

test('a store without any account is backed up, too', async () => {
  await open()
  const clock = createManualClock(testStart)
  const backups = { at: '11:00', keep: undefined, heartbeatUrl: undefined }
  const config = { environment: 'production', corsOrigins: [], trustedProxies: [], self, backups } as const
  const app = createApp({ ...config, databasePath: join(folder.path, 'empty.db') }, clock, silentLog)
  const begun = Promise.withResolvers<void>()
  app.backupWork.schedule = () => {
    begun.resolve()
    throw new AppError('conflict', 'Not now.')
  }
  for (let minute = 0; minute < 46; minute++) {
    clock.advance(minuteMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await begun.promise
  await app.close()
})

test('a failure is reported, tried again after an hour, and ends with the next successful backup', async () => {
  await open()
  writeFileSync(join(folder.path, 'backups'), 'a file in the place of the directory')
  await pass(10 * minuteMs)
  expect(runs).toHaveLength(1)
  const [failure] = failures()
  expect(failure).toMatchObject({ id: null, name: expect.stringContaining(join(folder.path, 'backups')) })
  expect(view()?.last).toMatchObject({ name: null, error: failure?.name })
  await pass(retryWaitMs - 12 * minuteMs)
  expect(runs).toHaveLength(1)
  await pass(12 * minuteMs)
  expect(runs).toHaveLength(2)
  expect(failures()[0]).toEqual(failure)
  rmSync(join(folder.path, 'backups'))
  await pass(retryWaitMs + minuteMs)
  expect([names().length, failures(), view()?.last?.error]).toEqual([1, [], null])
}, 60_000)

test('the owner makes the daily backup now, and a failure that was reported ends', async () => {
  await open()
  const owner = await store.setUp()
  const make = () => owner.post('/dashboard/backups/now')
  writeFileSync(join(folder.path, 'backups'), 'a file in the place of the directory')
  await pass(46 * minuteMs)
  expect(failures()).toHaveLength(1)
  expect(await make()).toMatchObject({ status: 503, json: { message: expect.stringContaining('No backup was made') } })
  rmSync(join(folder.path, 'backups'))
  const both = await Promise.all([make(), make()])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const [name = ''] = names()
  expect([names(), failures(), view()?.last]).toMatchObject([[name], [], { name, error: null }])
  expect(name).toStartWith('production-scheduled-20261120T1101')
  expect((await store.call('GET', '/v1/audit?action=backup')).json).toMatchObject([
    { action: 'backup.created', actor: 'owner', details: { name } },
  ])
  await pass(2 * hourMs)
  expect(names()).toEqual([name])
  expect((await store.browser().post('/dashboard/backups/now')).status).toBe(401)
}, 60_000)

test('the settings apply where no option is given, and are checked', async () => {
  await open({ keep: { days: 1, weeks: 0, months: 0 } })
  const owner = await store.setUp()
  const change = (body: object) => owner.post('/dashboard/backups', body)
  const schedule = async () => (await owner.get('/dashboard/backups')).json.schedule
  expect(await schedule()).toMatchObject({ at: '03:15', isAtGiven: false, keep: '1d,0w,0m', isKeepGiven: true })
  expect((await change({ at: '23:5' })).json).toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining('at must be a time'),
  })
  expect((await change({ at: '10:30', keep: '7d' })).json).toMatchObject({
    code: 'conflict',
    message: 'It is given by the option --backup-keep, and can only be changed there.',
  })
  expect((await change({ at: '10:30' })).status).toBe(204)
  expect(await schedule()).toMatchObject({ at: '10:30', nextAt: '2026-11-20T10:30:00.000Z' })
  expect((await store.call('GET', '/v1/audit?action=backups.changed')).json).toMatchObject([
    { actor: 'owner', details: { at: '10:30' } },
  ])
  await change({ at: 'off' })
  expect(await schedule()).toMatchObject({ at: 'off', nextAt: null })
  await pass(hourMs)
  expect(runs).toEqual([])
  expect((await store.browser().get('/dashboard/backups')).status).toBe(401)
}, 60_000)

test('after each good backup the address of the heartbeat is fetched, and each minute again if it fails', async () => {
  const statuses = [500, 503, 200]
  const asked: string[] = []
  const watcher = Bun.serve({
    port: 0,
    fetch(request) {
      asked.push(new URL(request.url).pathname)
      return new Response(null, { status: statuses[asked.length - 1] ?? 200 })
    },
  })
  const passUntilAsked = async (times: number) => {
    while (asked.length < times) await pass(minuteMs)
  }
  await open({ at: '11:00', heartbeatUrl: `${watcher.url}ping/secret` })
  writeFileSync(join(folder.path, 'backups'), '')
  await pass(10 * minuteMs)
  expect([runs.length, asked]).toEqual([1, []])
  rmSync(join(folder.path, 'backups'))
  await passUntilAsked(3)
  await pass(hourMs)
  expect(asked).toEqual(['/ping/secret', '/ping/secret', '/ping/secret'])
  // It is the backup of the day if the one of the schedule has failed.
  await store.app.backupSchedule.makeNow()
  await passUntilAsked(4)
  await watcher.stop(true)
}, 60_000)

test('the backups of a store that was restored on another machine send no heartbeat until its owner confirms it', async () => {
  const asked: string[] = []
  const watcher = Bun.serve({
    port: 0,
    fetch(request) {
      asked.push(request.url)
      return new Response()
    },
  })
  await open({ at: '11:00', heartbeatUrl: watcher.url.href })
  const { owner, writer, hold, backupSchedule } = store.app
  await writer.write(() => owner.updateInstallation({ restoredAt: store.clock.now() }))
  await backupSchedule.makeNow()
  await pass(10 * minuteMs)
  await writer.write(hold.confirm)
  await pass(2 * minuteMs)
  expect(asked).toEqual([])
  await backupSchedule.makeNow()
  while (asked.length === 0) await pass(minuteMs)
  await watcher.stop(true)
}, 60_000)

test('a store in memory has no schedule', async () => {
  store = await openTestDashboard({ self })
  expect(store.app.backupSchedule.view()).toBeUndefined()
  expect(store.app.backupSchedule.jobs).toEqual([])
})
