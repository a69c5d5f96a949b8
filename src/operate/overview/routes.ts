/** The handler of the endpoint of the overview. */

import { dayMs, dayOf } from '../../access/limits/days.ts'
import type { Limiter } from '../../access/limits/limiter.ts'
import type { LimitStore } from '../../access/limits/store.ts'
import { dashboardAccountId } from '../../access/owner/credentials/tokens.ts'
import type { Attention } from '../../api/attention.ts'
import { mount } from '../../api/mount.ts'
import type { EndpointParts } from '../../api/route.ts'
import type { Clock } from '../../lib/clock.ts'
import type { OrderStore } from '../../shop/orders/store.ts'
import type { PetStore } from '../../shop/pets/store.ts'
import { overviewEndpoints } from './endpoints.ts'
import { toAttention } from './schemas.ts'

export const overviewRoutes = (parts: {
  readonly pets: PetStore
  readonly orders: OrderStore
  readonly limits: LimitStore
  readonly limiter: Limiter
  readonly attention: Attention
  readonly clock: Clock
  readonly endpointParts: EndpointParts
}) => {
  const { pets, orders, limits, limiter, attention, clock } = parts

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
        rejected: (usage.get(day)?.rejected ?? 0) + (limiter.unsavedRejections.get(day) ?? 0),
        ordersPlaced: placed.get(day)?.placed ?? 0,
        ordersDelivered: placed.get(day)?.delivered ?? 0,
        soldWithoutOrder: placed.get(day)?.sold ?? 0,
      }
    })
  }

  return mount(
    overviewEndpoints,
    {
      getOverview: ({ query }) => ({
        animals: pets.inventory(),
        orders: orders.counts(),
        days: days(query.days ?? 30),
        attention: attention.items(clock.now()).map(toAttention),
      }),
    },
    parts.endpointParts,
  )
}
