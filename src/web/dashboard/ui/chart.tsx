/** A chart of days, with a switch to the same numbers as a table. */

import { Button } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { formatNumber, formatUtcDay } from './format.ts'
import type { DayChartProps } from './plot.tsx'
import './table.css'
import './chart.css'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

export function DayChart(props: DayChartProps) {
  const [isTable, setTable] = useState(false)
  return (
    <div className="chart">
      <div className="chart-switch">
        <span className="quiet">Days are in UTC.</span>
        <Button
          size="xs"
          variant="default"
          leftSection={isTable ? <IconChartLine size={16} /> : <IconTable size={16} />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by the keyboard
    <section className="chart-table" tabIndex={0} aria-label={`${label}, as a table`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            {series.map((one) => (
              <th key={one.label} scope="col" className="table-number">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, index) => (
              <tr key={day}>
                <td>{formatUtcDay(day)}</td>
                {series.map((one) => (
                  <td key={one.label} className="table-number">
                    {formatNumber(one.values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  )
}
