import { expect, test } from 'bun:test'
import { AppError } from './error.ts'
import { createLog } from './log.ts'

test('an error that was expected is logged by its message, and a defect with its stack', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', json: false, now: () => 0, write: (line) => void lines.push(line) })
  log.error('it failed', { error: new AppError('storage_unavailable', 'The disk is full.') })
  log.error('it failed', { error: new TypeError('no function') })
  expect(lines[0]).toBe('1970-01-01T00:00:00.000Z error it failed error=The disk is full.\n')
  expect(lines[1]).toMatch(/ error=TypeError: no function\\u\{a\} +at .*log\.test\.ts/)
})
