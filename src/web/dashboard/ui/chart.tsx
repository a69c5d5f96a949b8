/** A chart of days, with a switch to the same numbers as a table. */

import { Box, Group, Table } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { formatNumber, formatUtcDay } from './format.ts'
import type { DayChartProps } from './plot.tsx'
import { Quiet, SmallButton } from './small.ts'
import './chart.css'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

export function DayChart(props: DayChartProps) {
  const [isTable, setTable] = useState(false)
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Quiet>Days are in UTC.</Quiet>
        <SmallButton
          leftSection={isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </SmallButton>
      </Group>
      {isTable ? (
        <DayTable {...props} />
      ) : (
        <Suspense fallback={<div className="chart-plot" />}>
          <Plot {...props} />
        </Suspense>
      )}
    </div>
  )
}

function DayTable({ label, days, series }: DayChartProps) {
  return (
    <Box component="section" className="chart-table" tabIndex={0} aria-label={`${label}, as a table`}>
      <Table fz="sm" stickyHeader tabularNums>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day (UTC)</Table.Th>
            {series.map((one) => (
              <Table.Th key={one.label} scope="col" ta="end">
                {one.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days
            .map((day, index) => (
              <Table.Tr key={day}>
                <Table.Td>{formatUtcDay(day)}</Table.Td>
                {series.map((one) => (
                  <Table.Td key={one.label} ta="end">
                    {formatNumber(one.values[index] ?? 0)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))
            .reverse()}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
