/** The overview: how the store is doing, and what needs the owner. */

import { SegmentedControl } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { api, bodyOf, type Schemas } from '../api/client.ts'
import { DayChart } from '../ui/chart.tsx'
import { formatNumber } from '../ui/format.ts'
import { Page, Section } from '../ui/page.tsx'
import { Loaded, LoadingRows } from '../ui/states.tsx'
import { AttentionSection } from './attention.tsx'
import { Checklist, firstStepsQuery } from './checklist.tsx'
import './overview.css'

type Overview = Schemas['Overview']

/** Requests are counted all the time without being announced. */
const refreshMs = 30_000

const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => bodyOf(api.GET('/overview', { params: { query: { days: 30 } }, signal })),
  refetchInterval: refreshMs,
  meta: { topics: ['pets', 'orders', 'keys', 'bans', 'domains', 'certificates', 'backups', 'accounts', 'webhooks'] },
})

export function OverviewPage() {
  const query = useQuery(overviewQuery)
  const steps = useQuery(firstStepsQuery)
  return (
    <Page title="Overview">
      {/* All at once, so that nothing moves. */}
      <Loaded
        query={steps.isPending ? { ...query, data: undefined } : query}
        loading={<LoadingRows rows={6} height={72} label="Loading the overview…" />}
      >
        {(overview) => (
          <>
            <Checklist animals={overview.animals} steps={steps.data} />
            <Tiles overview={overview} />
            <div className="overview-columns">
              <AttentionSection attention={overview.attention} />
              <Activity days={overview.days} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The numbers of the store, each a link to what it counts. */
function Tiles({ overview: { animals, orders, days } }: { readonly overview: Overview }) {
  const { requests = 0, rejected = 0 } = days.at(-1) ?? {}
  return (
    <ul className="tiles" aria-label="Numbers of the store">
      <Tile href="/animals?status=available" label="Available animals" value={animals.available} />
      <Tile href="/animals?status=pending" label="Pending animals" value={animals.pending} />
      <Tile href="/animals?status=sold" label="Sold animals" value={animals.sold} />
      <Tile href="/orders?status=placed" label="Open orders" value={orders.placed + orders.approved}>
        {formatNumber(orders.placed)} to approve, {formatNumber(orders.approved)} to deliver
      </Tile>
      <Tile href="/keys/usage" label="Requests today" value={requests}>
        {rejected === 0 ? 'None rejected' : `${formatNumber(rejected)} rejected`}
      </Tile>
    </ul>
  )
}

interface TileProps {
  readonly href: string
  readonly label: string
  readonly value: number
  readonly children?: ReactNode
}

function Tile({ href, label, value, children }: TileProps) {
  return (
    <li>
      <Link href={href} className="tile">
        <span className="tile-label">{label}</span>
        <span className="tile-value">{formatNumber(value)}</span>
        {children !== undefined && <span className="tile-note">{children}</span>}
      </Link>
    </li>
  )
}

/** The last 30 days: requests, or orders. */
function Activity({ days }: { readonly days: Overview['days'] }) {
  const [kind, setKind] = useState('orders')
  const isOrders = kind === 'orders'
  const series = isOrders
    ? [
        { label: 'Placed', color: '--accent', values: days.map(({ ordersPlaced }) => ordersPlaced) },
        { label: 'Delivered', color: '--info', values: days.map(({ ordersDelivered }) => ordersDelivered) },
      ]
    : [
        { label: 'Requests', color: '--accent', values: days.map(({ requests }) => requests) },
        { label: 'Rejected', color: '--bad', values: days.map(({ rejected }) => rejected) },
      ]
  return (
    <Section
      title="Last 30 days"
      lead={isOrders ? 'Animals sold at the counter have no order and are not counted here.' : undefined}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Shown in the chart"
          value={kind}
          onChange={setKind}
          data={[
            { value: 'orders', label: 'Orders' },
            { value: 'requests', label: 'Requests' },
          ]}
        />
      }
    >
      <DayChart
        label={`${isOrders ? 'Orders' : 'Requests'} of the last 30 days`}
        days={days.map(({ date }) => date)}
        series={series}
      />
    </Section>
  )
}
