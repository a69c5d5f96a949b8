/** The page of orders: the list, and one order with its history in a panel beside it. */

import { Box, Button, Drawer, Group, Modal, Stack, Table, Text, Timeline, Title } from '@mantine/core'
import { IconPlus, IconShoppingBag } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation, useRoute, useSearchParams } from 'wouter'
import { FirstPhoto } from '../animals/first-photos.tsx'
import { useAccountNames } from '../api/accounts.ts'
import { isApiError } from '../api/error.ts'
import { ChangeButton } from '../ui/change.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Confirm } from '../ui/form.tsx'
import { formatDay, formatNumber } from '../ui/format.ts'
import { addressWith, idIn, searchTextOf, withParameters } from '../ui/input.ts'
import { Moment } from '../ui/moment.tsx'
import { Page, Tabs } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Quiet } from '../ui/small.ts'
import { Empty, Loaded, LoadingRows } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { buttons, OpeningRow, RecordTable, ShowMore, TableFrame, wide } from '../ui/table.tsx'
import { OrderForm } from './place-order.tsx'
import {
  animalOf,
  nextSteps,
  type Order,
  type OrderFilters,
  orderCountsQuery,
  orderQuery,
  orderStates,
  orderStatuses,
  ordersQuery,
  priceOf,
  takeStep,
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
    { ...wide('Ships'), w: '6.5rem' },
    { ...buttons('Next step'), w: '6.5rem' },
  ]
  return (
    <RecordTable columns={columns} layout="fixed">
      {orders.map((order) => {
        const { id, accountId, note, status, createdAt, shipDate } = order
        return (
          <OpeningRow key={id}>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <FirstPhoto petId={order.petId} size={40} />
                <Box miw={0}>
                  <Text truncate>
                    <Link href={addressWith(`/orders/${id}`, parameters)}>{animalOf(order)}</Link>
                  </Text>
                  <Quiet truncate>
                    Order {[id, priceOf(order)].filter(Boolean).join(', ')}
                    <Box component="span" hiddenFrom="sm">
                      , {accountName(accountId)}
                    </Box>
                  </Quiet>
                </Box>
              </Group>
              <Group gap="xs" wrap="nowrap" fz="sm" c="dimmed" mt={4} hiddenFrom="sm">
                <Status of={orderStates[status]} />
                <Moment time={createdAt} isRelative />
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Text truncate>{accountName(accountId)}</Text>
              <Quiet truncate>{note}</Quiet>
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

interface OrderPanelProps {
  /** Undefined while the panel is closed. */
  readonly id: number | undefined
  readonly onClose: () => void
}

function OrderPanel({ id, onClose }: OrderPanelProps) {
  // The content stays while the panel moves out.
  const [shown, setShown] = useState(id)
  useEffect(() => {
    if (id !== undefined) setShown(id)
  }, [id])
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      title={shown === undefined || Number.isNaN(shown) ? 'Order' : `Order ${shown}`}
      size="md"
    >
      {shown !== undefined && <Content id={shown} />}
    </Drawer>
  )
}

function Content({ id }: { readonly id: number }) {
  const query = useQuery(orderQuery(id))
  if (isApiError(query.error, 'not_found')) {
    return (
      <Empty
        icon={<IconShoppingBag size={28} />}
        title="There is no such order"
        text="Its number in the address may be wrong."
        actions={
          <Button component={Link} href="/orders">
            Show all orders
          </Button>
        }
      />
    )
  }
  return <Loaded query={query}>{(order) => <Details order={order} />}</Loaded>
}

function Details({ order }: { readonly order: Order }) {
  const [isCancelling, setCancelling] = useState(false)
  const isOpen = order.status === 'placed' || order.status === 'approved'
  const name = animalOf(order)
  const price = priceOf(order)
  const accountName = useAccountNames([order.accountId])

  return (
    <Stack align="flex-start">
      <Group>
        <FirstPhoto petId={order.petId} size={80} />
        <Status of={orderStates[order.status]} />
      </Group>
      <Facts>
        <Fact label="Animal">
          <Link href={`/animals/${order.petId}`}>{name}</Link> <Quiet span>no. {order.petId}</Quiet>
        </Fact>
        {price !== undefined && <Fact label="Price">{price}</Fact>}
        <Fact label="Account">{accountName(order.accountId)}</Fact>
        {order.shipDate !== null && <Fact label="Ships">{formatDay(order.shipDate)}</Fact>}
        {order.note !== null && order.note !== '' && (
          <Fact label="Note">
            <span style={{ whiteSpace: 'pre-wrap' }}>{order.note}</span>
          </Fact>
        )}
      </Facts>
      {isOpen && (
        <Group>
          <NextStep order={order} />
          <Button variant="default" onClick={() => setCancelling(true)}>
            Cancel order
          </Button>
        </Group>
      )}
      <History order={order} />
      <Confirm
        opened={isCancelling}
        onClose={() => setCancelling(false)}
        title={`Cancel order ${order.id}?`}
        action="Cancel order"
        cancel="Keep order"
        onConfirm={() => takeStep(order, 'cancel')}
      >
        {name} becomes available again. A cancelled order cannot be continued.
      </Confirm>
    </Stack>
  )
}

function History({ order }: { readonly order: Order }) {
  const events = [
    { label: 'Placed', time: order.createdAt },
    { label: 'Approved', time: order.approvedAt },
    { label: 'Delivered', time: order.deliveredAt },
    { label: 'Cancelled', time: order.cancelledAt },
    { label: 'Animal returned', time: order.returnedAt },
  ].flatMap(({ label, time }) => (time === null ? [] : [{ label, time }]))
  return (
    <section aria-label="History of the order">
      <Title order={3} mb="sm">
        History
      </Title>
      <Timeline role="list" bulletSize={12} lineWidth={2} active={events.length}>
        {events.map(({ label, time }) => (
          <Timeline.Item key={label} role="listitem" title={label}>
            <Quiet>
              <Moment time={time} />
            </Quiet>
          </Timeline.Item>
        ))}
      </Timeline>
    </section>
  )
}

interface NextStepProps {
  readonly order: Order
  /** In a table: the verb alone, in a small button. */
  readonly isShort?: boolean
}

/**
 * The button for the next step of an order. Approving and delivering have the same place, one after the other, and a
 * delivery cannot be undone: therefore delivering asks first.
 */
function NextStep({ order, isShort = false }: NextStepProps) {
  const [isAsking, setAsking] = useState(false)
  const next = nextSteps[order.status]
  const [verb = ''] = next?.label.split(' ') ?? []
  const button = isShort
    ? { size: 'xs', variant: 'default', 'aria-label': `${verb} order ${order.id}`, children: verb }
    : { size: 'sm', variant: 'filled', children: next?.label }
  return (
    <>
      {next?.step === 'approve' && <ChangeButton change={() => takeStep(order, 'approve')} {...button} />}
      {next?.step === 'deliver' && <Button onClick={() => setAsking(true)} {...button} />}
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Deliver order ${order.id}?`}
        action="Deliver order"
        cancel="Not yet"
        isHarmless
        onConfirm={() => takeStep(order, 'deliver')}
      >
        {animalOf(order)} is then sold. A delivered order can no longer be changed.
      </Confirm>
    </>
  )
}
