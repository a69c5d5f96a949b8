/** One order: what it is, what happened to it, and what can be done next. */

import { Button, Drawer, Group, Stack, Text, Timeline, Title } from '@mantine/core'
import { IconShoppingBag } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useAccountNames } from '../api/accounts.ts'
import { isApiError } from '../api/error.ts'
import { Fact, Facts } from '../ui/facts.tsx'
import { Confirm } from '../ui/form.tsx'
import { formatDay } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { NextStep } from './next-step.tsx'
import { animalOf, type Order, orderQuery, orderStates, takeStep } from './queries.ts'

interface OrderPanelProps {
  /** Undefined while the panel is closed. */
  readonly id: number | undefined
  readonly onClose: () => void
}

export function OrderPanel({ id, onClose }: OrderPanelProps) {
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
  const accountName = useAccountNames([order.accountId])

  return (
    <Stack align="flex-start">
      <Status of={orderStates[order.status]} />
      <Facts>
        <Fact label="Animal">
          <Link href={`/animals?animal=${order.petId}`}>{name}</Link> <span className="quiet">no. {order.petId}</span>
        </Fact>
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
            <Text size="sm" c="dimmed">
              <Moment time={time} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </section>
  )
}
