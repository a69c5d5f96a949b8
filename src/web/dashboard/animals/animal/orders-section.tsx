/** The orders of an animal. */

import { Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useAccountNames } from '../../api/accounts.ts'
import { api } from '../../api/client.ts'
import { listQuery, pageOf } from '../../api/lists.ts'
import { orderStates, priceOf } from '../../orders/queries.ts'
import { Moment } from '../../ui/moment.tsx'
import { Section } from '../../ui/page.tsx'
import { Quiet, SmallButton } from '../../ui/small.ts'
import { Loaded, LoadingRows } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { ShowMore } from '../../ui/table.tsx'
import type { Pet } from '../filters.ts'

/** The orders of an animal, the newest first. */
const ordersOfAnimalQuery = (petId: number) =>
  listQuery(
    ['orders', 'of-animal', petId],
    ['orders'],
    (start, signal) => {
      const query = { petId, order: 'desc', limit: 20, ...start } as const
      return pageOf(api.GET('/store/orders', { params: { query }, signal }))
    },
    () => undefined,
  )

export function OrdersSection({ pet }: { readonly pet: Pet }) {
  const query = useInfiniteQuery(ordersOfAnimalQuery(pet.id))
  const accountName = useAccountNames(query.data?.map(({ accountId }) => accountId) ?? [])
  return (
    <Section
      title="Orders"
      actions={
        pet.status === 'available' && (
          <SmallButton component={Link} href={`/orders?place=1&animal=${pet.id}`}>
            Place order
          </SmallButton>
        )
      }
    >
      <Loaded query={query} loading={<LoadingRows rows={1} />}>
        {(orders) =>
          orders.length === 0 ? (
            <Quiet>Nobody has ordered this animal.</Quiet>
          ) : (
            <>
              <ul className="plain-list divided">
                {orders.map((order) => (
                  <li key={order.id}>
                    <Group justify="space-between" gap="xs">
                      <Link href={`/orders/${order.id}`}>Order {order.id}</Link>
                      <Status of={orderStates[order.status]} />
                    </Group>
                    <Quiet className="breaks">
                      <Moment time={order.createdAt} isRelative />,{' '}
                      {[priceOf(order), accountName(order.accountId)].filter(Boolean).join(', ')}
                    </Quiet>
                  </li>
                ))}
              </ul>
              <ShowMore query={query} label="Show more orders" />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
