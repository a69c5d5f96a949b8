/** How much a process grows by a hundred thousand active accounts, in bytes; a process of its own, since garbage hides growth. */

import { systemClock } from '../src/lib/clock.ts'
import { Limiter } from '../src/limits/limiter.ts'

const limiter = new Limiter({ clock: systemClock, days: { find: () => 0 }, onBan: () => {} })
const allowance = { perMinute: 300, perDay: 10_000 }
Bun.gc(true)
const before = process.memoryUsage.rss()
for (let accountId = 1; accountId <= 100_000; accountId++) limiter.admit({ keyId: accountId, accountId, allowance })
Bun.gc(true)
const after = process.memoryUsage.rss()
// Read afterwards, so that the garbage collector keeps the limiter until here.
if (limiter.used(1).minute !== 1) throw new Error('the limiter has lost count')
console.log(after - before)
