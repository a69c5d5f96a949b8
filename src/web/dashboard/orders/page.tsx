/** The page of orders: the list, and one order in a panel beside it. */

import { Button } from '@mantine/core'
import { IconPlus, IconShoppingBag } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useRoute, useSearchParams } from 'wouter'
import { idIn, searchTextOf } from '../ui/address.ts'
import { Empty, Failure, LoadingRows } from '../ui/feedback/states.tsx'
import { formatNumber } from '../ui/format.ts'
import { Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { type Tab, Tabs } from '../ui/tabs.tsx'
import { OrderPanel } from './order-panel.tsx'
import { OrderTable } from './order-table.tsx'
import { PlaceOrder } from './place/place-order.tsx'
import { type OrderFilters, orderCountsQuery, orderLabels, orderStatuses, ordersQuery } from './queries.ts'

export function OrdersPage() {
  const [parameters, setParameters] = useSearchParams()
  const [, navigate] = useLocation()
  const [isOpen, route] = useRoute('/orders/:id')
  const filters = filtersOf(parameters)
  const listAddress = `/orders${search(parameters, {})}`

  return (
    <Page
      title="Orders"
      actions={
        <Button
          component={Link}
          href={`/orders${search(parameters, { place: '1' })}`}
          leftSection={<IconPlus size={16} />}
        >
          Place order
        </Button>
      }
    >
      <StatusTabs parameters={parameters} filters={filters} />
      <search className="toolbar">
        <SearchField
          label="Search orders by number, animal or note"
          placeholder="Number, animal or note"
          text={filters.q ?? ''}
          onChange={(q) => setParameters((before) => search(before, { q }).slice(1), { replace: true })}
        />
      </search>
      <OrderList filters={filters} parameters={parameters} />
      <OrderPanel
        id={isOpen ? Number(route?.id) : undefined}
        onClose={() => navigate(listAddress, { replace: true })}
      />
      <PlaceOrder
        opened={parameters.has('place')}
        petId={idIn(parameters, 'animal')}
        onClose={() => navigate(`/orders${search(parameters, { place: '', animal: '' })}`, { replace: true })}
      />
    </Page>
  )
}

function filtersOf(parameters: URLSearchParams): OrderFilters {
  const q = searchTextOf(parameters.get('q') ?? '')
  const status = orderStatuses.find((one) => one === parameters.get('status'))
  return { ...(q === '' ? {} : { q }), ...(status === undefined ? {} : { status }) }
}

/** The query of an address with some parameters changed; an empty value removes one. */
function search(parameters: URLSearchParams, change: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next.size === 0 ? '' : `?${next}`
}

interface ListProps {
  readonly parameters: URLSearchParams
  readonly filters: OrderFilters
}

function StatusTabs({ parameters, filters }: ListProps) {
  const { data } = useQuery(orderCountsQuery)
  const all = data && data.placed + data.approved + data.delivered + data.cancelled
  const tabs: Tab[] = [
    {
      href: `/orders${search(parameters, { status: '' })}`,
      label: 'All',
      count: all === undefined ? undefined : formatNumber(all),
      isCurrent: filters.status === undefined,
    },
    ...orderStatuses.map((status) => ({
      href: `/orders${search(parameters, { status })}`,
      label: orderLabels[status],
      count: data && formatNumber(data[status]),
      isCurrent: filters.status === status,
    })),
  ]
  return <Tabs label="Orders by status" tabs={tabs} />
}

function OrderList({ filters, parameters }: ListProps) {
  const query = useInfiniteQuery(ordersQuery(filters))
  const { data, error, refetch } = query
  if (data === undefined) {
    if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
    return <LoadingRows rows={8} height={57} label="Loading the orders…" />
  }
  const orders = data.pages.flatMap(({ items }) => items)
  if (orders.length > 0)
    return <OrderTable orders={orders} query={query} addressOf={(id) => `/orders/${id}${search(parameters, {})}`} />
  const isFiltered = filters.q !== undefined || filters.status !== undefined
  return (
    <Empty
      icon={<IconShoppingBag size={28} />}
      title={isFiltered ? 'No order fits' : 'No orders yet'}
      text={
        isFiltered
          ? 'Check the spelling, or look at all orders.'
          : 'An order reserves an animal for a customer, and partners can place orders with an API key. An animal that is sold at the counter needs no order: mark it as sold.'
      }
      actions={
        isFiltered ? (
          <Button component={Link} href="/orders" variant="default">
            Show all orders
          </Button>
        ) : (
          <Button component={Link} href="/orders?place=1" leftSection={<IconPlus size={16} />}>
            Place order
          </Button>
        )
      }
    />
  )
}
