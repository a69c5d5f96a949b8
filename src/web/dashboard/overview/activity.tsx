/** The last 30 days: requests, or orders. */

import { SegmentedControl } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DayChart } from '../ui/chart/chart.tsx'
import { Section } from '../ui/page.tsx'
import type { Overview } from './queries.ts'

type Kind = 'orders' | 'requests'

export function Activity({ overview: { days } }: { readonly overview: Overview }) {
  const [kind, setKind] = useState<Kind>('orders')
  const dates = useMemo(() => days.map(({ date }) => date), [days])
  const series = useMemo(
    () =>
      kind === 'orders'
        ? [
            { label: 'Placed', color: '--accent', values: days.map(({ ordersPlaced }) => ordersPlaced) },
            { label: 'Delivered', color: '--info', values: days.map(({ ordersDelivered }) => ordersDelivered) },
          ]
        : [
            { label: 'Requests', color: '--accent', values: days.map(({ requests }) => requests) },
            { label: 'Rejected', color: '--bad', values: days.map(({ rejected }) => rejected) },
          ],
    [days, kind],
  )
  return (
    <Section
      title="Last 30 days"
      lead={kind === 'orders' ? 'Animals sold at the counter have no order and are not counted here.' : undefined}
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Shown in the chart"
          value={kind}
          onChange={(value) => setKind(value as Kind)}
          data={[
            { value: 'orders', label: 'Orders' },
            { value: 'requests', label: 'Requests' },
          ]}
        />
      }
    >
      <DayChart
        label={kind === 'orders' ? 'Orders of the last 30 days' : 'Requests of the last 30 days'}
        days={dates}
        series={series}
      />
    </Section>
  )
}
