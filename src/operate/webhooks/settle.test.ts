import { expect, test } from 'bun:test'
import type { Outcome } from './send.ts'
import { withClock } from './settle.ts'

const refused: Outcome = {
  isDelivered: false,
  status: 400,
  error: 'The receiver responded with 400.',
  response: null,
  retryAfterMs: undefined,
  durationMs: 1,
}

test('a delivery that failed says so if the clock of the machine is wrong', () => {
  expect(withClock(refused, -90 * 60_000).error).toBe(
    'The receiver responded with 400. The clock of this machine is wrong by 90 minutes: receivers refuse signatures with a wrong time.',
  )
  expect(withClock(refused, undefined)).toBe(refused)
  const delivered = { ...refused, isDelivered: true, error: null }
  expect(withClock(delivered, 90 * 60_000)).toBe(delivered)
})
