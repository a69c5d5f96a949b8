/** The chart itself, drawn by uPlot. It is loaded when a chart is shown first. */

import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatNumber, formatUtcDay } from './format.ts'

interface Series {
  readonly label: string
  /** A colour as a variable of the style sheet, such as `--accent`. */
  readonly color: string
  readonly values: readonly number[]
}

export interface DayChartProps {
  /** The name of the numbers, for instance "Requests of the last 30 days". */
  readonly label: string
  /** UTC days, the oldest first. */
  readonly days: readonly string[]
  readonly series: readonly Series[]
}

const height = 240
const daySeconds = 86_400
const axisFont = '12px system-ui, sans-serif'
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const shortNumber = new Intl.NumberFormat(undefined, { notation: 'compact' })

export function Plot({ label, days, series }: DayChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew for other numbers and, for its colours, another scheme
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const plot = new UPlot(optionsOf(element, days, series), dataOf(days, series), element)
    const observer = new ResizeObserver(([entry]) => {
      // It can still report after the chart is removed.
      if (entry !== undefined && element.isConnected) plot.setSize({ width: entry.contentRect.width, height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [JSON.stringify([days, series]), scheme])
  const summary = series.map((one) => `${one.label}: ${formatNumber(one.values.reduce((a, b) => a + b, 0))}`).join('; ')
  return <div ref={frame} className="chart-plot" role="img" aria-label={`${label}. In all: ${summary}.`} />
}

function dataOf(days: DayChartProps['days'], series: DayChartProps['series']): UPlot.AlignedData {
  const seconds = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000)
  return [seconds, ...series.map(({ values }) => [...values])]
}

/** The columns of a series: one for each day, beside those of the other series. */
function columns(index: number, count: number): UPlot.Series.PathBuilder {
  const align = count === 1 ? 0 : index === 0 ? -1 : 1
  const build = UPlot.paths.bars?.({ align, size: [0.7 / count, 28, 1] })
  if (build === undefined) throw new Error('This build of uPlot draws no columns.')
  return build
}

function optionsOf(element: HTMLElement, days: DayChartProps['days'], series: DayChartProps['series']): UPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: color('--quiet'), font: axisFont, ticks: { show: false } }
  const line = { stroke: color('--line'), width: 1 }
  return {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false, points: { size: 8 } },
    scales: {
      // Half a day on each side, for the columns.
      x: { range: (_, min, max) => [min - daySeconds / 2, max + daySeconds / 2] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.1, 4)] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_, times) => times.map((time) => shortDay.format(time * 1_000)) },
      {
        ...axis,
        grid: line,
        size: 44,
        // Half a request is none.
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
        values: (_, values) => values.map((value) => shortNumber.format(value)),
      },
    ],
    series: [
      { label: 'Day', value: (_, __, ___, index) => (index === null ? '–' : formatUtcDay(days[index] ?? '')) },
      ...series.map(
        (one, index): UPlot.Series => ({
          label: one.label,
          fill: color(one.color),
          width: 0,
          paths: columns(index, series.length),
          points: { show: false },
          value: (_, value) => (value === null ? '–' : formatNumber(value)),
        }),
      ),
    ],
  } as UPlot.Options
}
