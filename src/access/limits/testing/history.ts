/** Random sequences of events for limits: requests, sweeps, restarts, crashes, clock steps and failed saves. */

import fc from 'fast-check'

const second = 1_000
const hour = 3_600 * second

export type Fault = 'none' | 'before' | 'commit'
export type Event =
  | { readonly kind: 'requests'; readonly keyId: number; readonly times: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'set clock'; readonly byMs: number }
  | { readonly kind: 'save'; readonly fault: Fault; readonly requestsMeanwhile: number }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'reload bans' }
  | { readonly kind: 'lift'; readonly keyId: number }
  | { readonly kind: 'restart'; readonly isCrash: boolean; readonly downMs: number; readonly setByMs: number }

const waits = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 3_000 }), weight: 6 },
  { arbitrary: fc.integer({ min: 3 * second, max: 70 * second }), weight: 6 },
  { arbitrary: fc.integer({ min: 590 * second, max: 1_300 * second }), weight: 2 },
  { arbitrary: fc.integer({ min: hour, max: 30 * hour }), weight: 1 },
)
const clockSteps = fc.oneof(
  fc.integer({ min: -1_500, max: 1_500 }),
  fc.integer({ min: -100 * second, max: 100 * second }),
  fc.integer({ min: -26 * hour, max: 26 * hour }),
)
const requests = fc.record({
  kind: fc.constant('requests' as const),
  keyId: fc.integer({ min: 1, max: 3 }),
  times: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 20, max: 45 })),
})
export const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: requests },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: waits }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set clock' as const), byMs: clockSteps }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      fault: fc.constantFrom<Fault>('none', 'none', 'before', 'commit'),
      requestsMeanwhile: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'sweep' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reload bans' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift' as const), keyId: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      isCrash: fc.boolean(),
      downMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 90 * second })),
      setByMs: fc.oneof(
        { arbitrary: fc.constant(0), weight: 3 },
        { arbitrary: fc.integer({ min: -hour, max: 0 }), weight: 1 },
      ),
    }),
  },
)
export const allowances = fc.record({
  perMinute: fc.integer({ min: 1, max: 30 }),
  perDay: fc.integer({ min: 10, max: 300 }),
})
