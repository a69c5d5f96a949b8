/** The handler of the endpoint of the overview. */

import { dayMs, dayOf } from '../../access/limits/days.ts'
import { dashboardAccountId } from '../../access/owner/credentials/tokens.ts'
import { mount } from '../../api/endpoint/mount.ts'
import type { App } from '../../app/app-parts.ts'
import { overviewEndpoints } from './endpoints.ts'
import { toAttention } from './schemas.ts'

type Parts = Pick<
  App,
  'pets' | 'orders' | 'limits' | 'limiter' | 'rejections' | 'attention' | 'clock' | 'endpointParts'
>

export const overviewRoutes = (app: Parts) => {
  const { pets, orders, limits, limiter, rejections, attention, clock } = app

  function days(number: number) {
    const today = dayOf(clock.now())
    const first = today - number + 1
    const usage = new Map(limits.allDays(first, today).map((row) => [row.day, row]))
    const placed = new Map(orders.days(first, today).map((row) => [row.day, row]))
    return Array.from({ length: number }, (_, i) => {
      const day = first + i
      return {
        date: new Date(day * dayMs).toISOString().slice(0, 10),
        // The counts of the last second are in memory alone.
        requests: (usage.get(day)?.requests ?? 0) + limiter.days.unsavedOn(day, dashboardAccountId),
        rejected: rejections.unsavedOn(day) ?? usage.get(day)?.rejected ?? 0,
        ordersPlaced: placed.get(day)?.placed ?? 0,
        ordersDelivered: placed.get(day)?.delivered ?? 0,
      }
    })
  }

  return mount(
    overviewEndpoints,
    {
      getOverview: ({ query }) =>
        pets.snapshot(() => ({
          animals: pets.inventory(),
          orders: orders.counts(),
          days: days(query.days ?? 30),
          attention: attention.items(clock.now()).map(toAttention),
        })),
    },
    app.endpointParts,
  )
}
