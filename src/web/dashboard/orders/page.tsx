/** The page of orders: the list, and one order in a panel beside it. */

import { Button, Modal } from '@mantine/core'
import { IconPlus, IconShoppingBag } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useRoute, useSearchParams } from 'wouter'
import { formatDay, formatNumber } from '../ui/format.ts'
import { addressWith, idIn, searchTextOf, withParameters } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { OpeningRow, ShowMore, TableHead } from '../ui/table.tsx'
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
          <div className="table-frame">
            <table className="table">
              <TableHead
                columns={[
                  'Order',
                  { wide: 'Note' },
                  { wide: 'Status' },
                  { wide: 'Placed' },
                  { wide: 'Ships' },
                  { hidden: 'Next step' },
                ]}
              />
              <tbody>
                {orders.map((order) => (
                  <Row key={order.id} order={order} href={addressWith(`/orders/${order.id}`, parameters)} />
                ))}
              </tbody>
            </table>
            <ShowMore query={query} label="Show more orders" />
          </div>
        )
      }
    </Loaded>
  )
}

function Row({ order, href }: { readonly order: Order; readonly href: string }) {
  const status = <Status of={orderStates[order.status]} />
  return (
    <OpeningRow>
      <td className="orders-name">
        <Link href={href}>
          {animalOf(order)} <span className="quiet orders-number">no. {order.id}</span>
        </Link>
        <div className="narrow quiet orders-state">
          {status}
          <Moment time={order.createdAt} isRelative />
        </div>
      </td>
      <td className="wide orders-note">{order.note}</td>
      <td className="wide">{status}</td>
      <td className="wide table-short">
        <Moment time={order.createdAt} isRelative />
      </td>
      <td className="wide table-short">{order.shipDate === null ? '' : formatDay(order.shipDate)}</td>
      <td className="table-actions">
        <NextStep order={order} isShort />
      </td>
    </OpeningRow>
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
