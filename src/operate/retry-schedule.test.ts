import { expect, test } from 'bun:test'
import { longestRetryMs, retryWaitMs } from './retry-schedule.ts'

test('failures are followed by 5 s, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, then days, and up to a tenth more', () => {
  const hours = (random: number) => Array.from({ length: 11 }, (_, i) => retryWaitMs(i + 1, random) / 3_600_000)
  const exact = [5 / 3_600, 1 / 12, 0.5, 2, 5, 10, 14, 20, 24, 24, 24]
  expect(hours(0)).toEqual(exact)
  for (const [i, wait] of hours(1).entries()) expect(wait).toBeCloseTo((exact[i] ?? 0) * 1.1, 5)
  expect(retryWaitMs(1_000, 1)).toBeLessThanOrEqual(longestRetryMs)
})
