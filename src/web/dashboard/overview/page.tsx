/** The overview: how the store is doing, and what needs the owner. */

import { Box, Flex, Paper, SegmentedControl, Text } from '@mantine/core'
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
            {/* What needs attention comes first on phones; beside the chart it is on the right. */}
            <Flex direction={{ base: 'column', lg: 'row-reverse' }} align={{ lg: 'flex-start' }} gap="lg">
              <Box flex="1" miw={0}>
                <AttentionSection attention={overview.attention} />
              </Box>
              <Box flex="2" miw={0}>
                <Activity days={overview.days} />
              </Box>
            </Flex>
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
    <Flex component="ul" className="plain-list" wrap="wrap" gap="md" aria-label="Numbers of the store">
      <Tile href="/animals?status=available" label="Available animals" value={animals.available} />
      <Tile href="/animals?status=pending" label="Pending animals" value={animals.pending} />
      <Tile href="/animals?status=sold" label="Sold animals" value={animals.sold} />
      <Tile href="/orders?status=placed" label="Open orders" value={orders.placed + orders.approved}>
        {formatNumber(orders.placed)} to approve, {formatNumber(orders.approved)} to deliver
      </Tile>
      <Tile href="/keys/usage" label="Requests today" value={requests}>
        {rejected === 0 ? 'None rejected' : `${formatNumber(rejected)} rejected`}
      </Tile>
    </Flex>
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
    // Where not all fit in one line, three are above two.
    <Box component="li" flex={{ base: '1 1 40%', sm: '1 1 30%', lg: '1 1 15%' }}>
      <Paper
        component={Link}
        href={href}
        withBorder
        display="block"
        h="100%"
        p="clamp(0.75rem, 2vw, 1.25rem)"
        className="tile"
      >
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Text fz="1.9rem" fw={650} lh={1.3}>
          {formatNumber(value)}
        </Text>
        {children !== undefined && (
          <Text size="xs" c="dimmed">
            {children}
          </Text>
        )}
      </Paper>
    </Box>
  )
}

type Count = Exclude<keyof Overview['days'][number], 'date'>

/** What the chart shows, with the colour of each number. */
const charts: Readonly<Record<string, readonly { label: string; color: string; count: Count }[]>> = {
  Sales: [
    { label: 'Orders delivered', color: '--accent', count: 'ordersDelivered' },
    { label: 'Sold at the counter', color: '--info', count: 'soldWithoutOrder' },
  ],
  Orders: [
    { label: 'Placed', color: '--accent', count: 'ordersPlaced' },
    { label: 'Delivered', color: '--info', count: 'ordersDelivered' },
  ],
  Requests: [
    { label: 'Requests', color: '--accent', count: 'requests' },
    { label: 'Rejected', color: '--bad', count: 'rejected' },
  ],
}

/** The last 30 days. */
function Activity({ days }: { readonly days: Overview['days'] }) {
  const [kind, setKind] = useState('Sales')
  const series = (charts[kind] ?? []).map(({ count, ...one }) => ({ ...one, values: days.map((day) => day[count]) }))
  return (
    <Section
      title="Last 30 days"
      lead={kind === 'Sales' ? 'Sold at the counter: marked as sold without an order.' : undefined}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Shown in the chart"
          value={kind}
          onChange={setKind}
          data={Object.keys(charts)}
        />
      }
    >
      <DayChart label={`${kind} of the last 30 days`} days={days.map(({ date }) => date)} series={series} />
    </Section>
  )
}
