import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { environments } from '../../lib/environment.ts'
import { backupName, newestFirst, readBackupName, wholeSecond } from './rules.ts'

const noon = Date.UTC(2026, 10, 20, 10, 15)

test('a name states the environment, the time, and the number within that second', () => {
  const first = { environment: 'production', reason: 'backup', createdAt: noon, number: 1 } as const
  expect(backupName(first)).toBe('production-20261120T101500Z.db')
  expect(backupName({ ...first, number: 2 })).toBe('production-20261120T101500Z-2.db')
  expect(backupName({ ...first, environment: 'staging', reason: 'before-restore' })).toBe(
    'staging-before-restore-20261120T101500Z.db',
  )
})

test('every name is parsed into the parts that it was made of', () => {
  const names = fc.record({
    environment: fc.constantFrom(...environments),
    reason: fc.constantFrom(
      'backup' as const,
      'scheduled' as const,
      'before-upgrade' as const,
      'before-restore' as const,
    ),
    createdAt: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }).map(wholeSecond),
    number: fc.integer({ min: 1, max: 99_999 }),
  })
  fc.assert(fc.property(names, (name) => expect(readBackupName(backupName(name))).toEqual(name)))
})

test('a name that only resembles that of a backup is not one', () => {
  const names = [
    'production.db',
    '.unfinished',
    'testing-20261120T101500Z.db',
    'production-20261120T101500Z.db-wal',
    'production-20261120T101500Z.db.gz',
    'production-20261120T101500Z-1.db',
    'production-20261120T101500Z-02.db',
    'production-20261320T101500Z.db',
    'production-20260230T101500Z.db',
    'my-production-20261120T101500Z.db',
  ]
  expect(names.map(readBackupName)).toEqual(names.map(() => undefined))
})

test('the newest comes first, the last one of a second before the others', () => {
  const sorted = [
    '20261120T101501Z',
    '20261120T101500Z-10',
    '20261120T101500Z-2',
    '20261120T101500Z',
    '20251231T235959Z',
  ]
  const read = sorted.map((time) => readBackupName(`staging-${time}.db`)).filter((name) => name !== undefined)
  expect(read.toReversed().sort(newestFirst)).toEqual(read)
})
