/**
 * Prints by how many bytes a process grows with a hundred thousand active accounts. It is a process of its own, because
 * the garbage of other work would hide the growth.
 */

import { Limiter } from '../src/access/limits/limiter.ts'
import { systemClock } from '../src/lib/clock.ts'

const limiter = new Limiter({ clock: systemClock, days: { find: () => 0 }, onBan: () => {} })
const allowance = { perMinute: 300, perDay: 10_000 }
Bun.gc(true)
const before = process.memoryUsage.rss()
for (let accountId = 1; accountId <= 100_000; accountId++) limiter.admit({ keyId: accountId, accountId, allowance })
Bun.gc(true)
const after = process.memoryUsage.rss()
// This use keeps the garbage collector from freeing the limiter before the measurement.
if (limiter.used(1).minute !== 1) throw new Error('The limiter has a wrong count.')
console.log(after - before)
