/** The page of orders: the list, and one order in a panel beside it. */

import { Box, Button, Group, Modal, Table, Text } from '@mantine/core'
import { IconPlus, IconShoppingBag } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useRoute, useSearchParams } from 'wouter'
import { useAccountNames } from '../api/accounts.ts'
import { formatDay, formatNumber } from '../ui/format.ts'
import { addressWith, idIn, searchTextOf, withParameters } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, OpeningRow, RecordTable, ShowMore, TableFrame, wide } from '../ui/table.tsx'
import { NextStep } from './next-step.tsx'
import { OrderPanel } from './order-panel.tsx'
import { OrderForm } from './place-order.tsx'
import {
  animalOf,
  type Order,
  type OrderFilters,
  orderCountsQuery,
  orderStates,
  orderStatuses,
  ordersQuery,
} from './queries.ts'

export function OrdersPage() {
  const [parameters, setParameters] = useSearchParams()
  const [, navigate] = useLocation()
  const [isOpen, route] = useRoute('/orders/:id')
  const filters: OrderFilters = {
    q: searchTextOf(parameters.get('q')),
    status: orderStatuses.find((one) => one === parameters.get('status')),
  }
  const closeForm = () => navigate(addressOf(parameters, { place: '', animal: '' }), { replace: true })

  return (
    <Page
      title="Orders"
      actions={
        <Button component={Link} href={addressOf(parameters, { place: '1' })} leftSection={<IconPlus size={16} />}>
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
          onChange={(q) => setParameters((before) => withParameters(before, { q }), { replace: true })}
        />
      </search>
      <OrderList filters={filters} parameters={parameters} />
      <OrderPanel
        id={isOpen ? Number(route?.id) : undefined}
        onClose={() => navigate(addressOf(parameters), { replace: true })}
      />
      <Modal opened={parameters.has('place')} onClose={closeForm} title="Place order">
        <OrderForm petId={idIn(parameters, 'animal')} onClose={closeForm} />
      </Modal>
    </Page>
  )
}

/** The list with some parameters changed. */
const addressOf = (parameters: URLSearchParams, change: Readonly<Record<string, string>> = {}): string =>
  addressWith('/orders', withParameters(parameters, change))

interface ListProps {
  readonly parameters: URLSearchParams
  readonly filters: OrderFilters
}

function StatusTabs({ parameters, filters }: ListProps) {
  const { data } = useQuery(orderCountsQuery)
  const all = data && data.placed + data.approved + data.delivered + data.cancelled
  const tabs = [
    {
      href: addressOf(parameters, { status: '' }),
      label: 'All',
      count: all === undefined ? undefined : formatNumber(all),
      isCurrent: filters.status === undefined,
    },
    ...orderStatuses.map((status) => ({
      href: addressOf(parameters, { status }),
      label: orderStates[status][0],
      count: data && formatNumber(data[status]),
      isCurrent: filters.status === status,
    })),
  ]
  return <Tabs label="Orders by status" tabs={tabs} />
}

function OrderList({ filters, parameters }: ListProps) {
  const query = useInfiniteQuery(ordersQuery(filters))
  return (
    <Loaded query={query} loading={<LoadingRows rows={8} height={57} label="Loading the orders…" />}>
      {(orders) =>
        orders.length === 0 ? (
          <NoOrders isFiltered={filters.q !== undefined || filters.status !== undefined} />
        ) : (
          <TableFrame>
            <OrderTable orders={orders} parameters={parameters} />
            <ShowMore query={query} label="Show more orders" />
          </TableFrame>
        )
      }
    </Loaded>
  )
}

interface OrderTableProps {
  readonly orders: readonly Order[]
  readonly parameters: URLSearchParams
}

/** All rows have the same height: what is longer than its column is cut off. */
function OrderTable({ orders, parameters }: OrderTableProps) {
  const accountName = useAccountNames(orders.map(({ accountId }) => accountId))
  const columns = [
    'Order',
    wide('Ordered by'),
    { ...wide('Status'), w: '7.5rem' },
    { ...wide('Placed'), w: '8rem' },
    { ...wide('Ships'), w: '7rem' },
    { ...buttons('Next step'), w: '6.5rem' },
  ]
  return (
    <RecordTable columns={columns} layout="fixed">
      {orders.map((order) => {
        const { id, accountId, note, status, createdAt, shipDate } = order
        return (
          <OpeningRow key={id}>
            <Table.Td>
              <Text truncate>
                <Link href={addressWith(`/orders/${id}`, parameters)}>{animalOf(order)}</Link>
              </Text>
              <Text truncate size="sm" c="dimmed">
                Order {id}
                <Box component="span" hiddenFrom="sm">
                  , {accountName(accountId)}
                </Box>
              </Text>
              <Group gap="xs" wrap="nowrap" fz="sm" c="dimmed" hiddenFrom="sm">
                <Status of={orderStates[status]} />
                <Moment time={createdAt} isRelative />
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Text truncate>{accountName(accountId)}</Text>
              <Text truncate size="sm" c="dimmed">
                {note}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Status of={orderStates[status]} />
            </Table.Td>
            <Table.Td visibleFrom="sm" fz="sm">
              <Moment time={createdAt} isRelative />
            </Table.Td>
            <Table.Td visibleFrom="sm" fz="sm">
              {shipDate !== null && formatDay(shipDate)}
            </Table.Td>
            <Table.Td ta="end">
              <NextStep order={order} isShort />
            </Table.Td>
          </OpeningRow>
        )
      })}
    </RecordTable>
  )
}

function NoOrders({ isFiltered }: { readonly isFiltered: boolean }) {
  const icon = <IconShoppingBag size={28} />
  if (isFiltered) {
    return (
      <Empty
        icon={icon}
        title="No order fits"
        text="Check the spelling, or look at all orders."
        actions={
          <Button component={Link} href="/orders" variant="default">
            Show all orders
          </Button>
        }
      />
    )
  }
  return (
    <Empty
      icon={icon}
      title="No orders yet"
      text="An order reserves an animal for a customer, and partners can place orders with an API key. An animal that is sold at the counter needs no order: mark it as sold."
      actions={
        <Button component={Link} href="/orders?place=1" leftSection={<IconPlus size={16} />}>
          Place order
        </Button>
      }
    />
  )
}
