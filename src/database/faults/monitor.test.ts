import { beforeEach, expect, test } from 'bun:test'
import { createManualClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { faultOf, mayBeSaved, StorageUnavailable } from './fault.ts'
import { createFaultMonitor, type FaultMonitor, quietMs } from './monitor.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

let clock: ReturnType<typeof createManualClock>
let lines: string[]
let isUnreadable: boolean
let monitor: FaultMonitor
beforeEach(() => {
  clock = createManualClock(0)
  lines = []
  isUnreadable = false
  const write = (line: string) => {
    const { level, fault } = JSON.parse(line) as { level: string; fault: string }
    lines.push(`${level} ${fault}`)
  }
  const log = createLog({ level: 'info', json: true, now: () => 0, write })
  monitor = createFaultMonitor({ log, clock, isUnreadable: () => isUnreadable })
})

test('each error code is recognised as its fault', () => {
  const faults = {
    SQLITE_BUSY_SNAPSHOT: 'busy',
    SQLITE_FULL: 'full',
    SQLITE_IOERR_SHMSIZE: 'full',
    ENOSPC: 'full',
    SQLITE_READONLY: 'read_only',
    SQLITE_READONLY_DBMOVED: 'file_gone',
    SQLITE_CORRUPT_VTAB: 'malformed',
    SQLITE_NOTADB: 'malformed',
    SQLITE_IOERR_READ: 'disk_error',
    SQLITE_IOERR_NOMEM: 'no_memory',
    SQLITE_CANTOPEN: 'cannot_open',
    EMFILE: 'no_descriptors',
    SQLITE_CONSTRAINT_UNIQUE: undefined,
  }
  for (const [code, fault] of Object.entries(faults)) expect([code, faultOf(failure(code))]).toEqual([code, fault])
  expect(faultOf(new Error('a query failed', { cause: failure('SQLITE_FULL') }))).toBe('full')
})

test('a commit has certainly failed only if it was rejected before its last page was written', () => {
  const known = ['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_READONLY']
  const unknown = ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_NOMEM', 'SQLITE_CORRUPT']
  expect([...known, ...unknown].map((code) => mayBeSaved(failure(code)))).toEqual([
    ...known.map(() => false),
    ...unknown.map(() => true),
  ])
})

test('a fault of writes is logged once, and ends when a write has succeeded', () => {
  for (let i = 0; i < 3; i++) expect(monitor.writeFailed(failure('SQLITE_FULL'))).toBe('full')
  expect(monitor.current()).toBe('full')
  monitor.writeSucceeded()
  monitor.writeSucceeded()
  expect(monitor.current()).toBeUndefined()
  monitor.writeFailed(failure('SQLITE_FULL'))
  expect(lines).toEqual(['error full', 'info full', 'error full'])
})

test('a fault of reads ends after a minute without a failure, and not with a successful write', () => {
  expect(monitor.readFailed(failure('SQLITE_IOERR_READ'))).toBeInstanceOf(StorageUnavailable)
  clock.advance(quietMs - 1)
  monitor.writeSucceeded()
  monitor.endQuiet()
  monitor.readFailed(failure('SQLITE_IOERR_READ'))
  clock.advance(quietMs - 1)
  monitor.endQuiet()
  expect(monitor.current()).toBe('disk_error')
  clock.advance(1)
  monitor.endQuiet()
  expect(lines).toEqual(['error disk_error', 'info disk_error'])
})

test('damage remains until the restart, and is distinguished from a disk that fails to read', () => {
  isUnreadable = true
  expect(monitor.readFailed(failure('SQLITE_CORRUPT'))).toMatchObject({ fault: 'disk_error' })
  isUnreadable = false
  expect(monitor.readFailed(failure('SQLITE_CORRUPT'))).toMatchObject({ fault: 'malformed' })
  clock.advance(10 * quietMs)
  monitor.writeSucceeded()
  monitor.endQuiet()
  expect(monitor.current()).toBe('malformed')
  expect(lines).toEqual(['error disk_error', 'error malformed', 'info disk_error'])
})

test('an error that the storage has not caused is not a fault', () => {
  expect(monitor.readFailed(new TypeError('a mistake'))).toBeUndefined()
  expect(lines).toEqual([])
})

test('a storage fault in a job is recorded, and any other error makes the job fail', async () => {
  const job = (run: () => void | Promise<void>) => monitor.guard({ name: 'a job', everyMs: 1, run })
  const { signal } = new AbortController()
  await job(() => {
    throw failure('SQLITE_IOERR_READ')
  }).run(signal)
  await job(() => Promise.reject(new StorageUnavailable('full', 'unchanged'))).run(signal)
  expect(lines).toEqual(['error disk_error'])
  const mistaken = job(() => {
    throw new TypeError('a mistake')
  })
  expect(() => mistaken.run(signal)).toThrow('a mistake')
})
