/** The Prometheus text format. https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */

import type { Histogram } from '../../lib/histogram.ts'

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

export type Labels = Readonly<Record<string, string | number>>

export type Sample = readonly [labels: Labels, value: number]

/** A metric with all its series. */
export type Metric =
  | {
      readonly type: 'counter' | 'gauge'
      readonly name: string
      readonly help: string
      readonly samples: readonly Sample[]
    }
  | {
      readonly type: 'histogram'
      readonly name: string
      readonly help: string
      /** Bounds and sums are multiplied by it. */
      readonly scale: number
      readonly samples: readonly (readonly [labels: Labels, histogram: Histogram])[]
    }

export function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { type: 'counter', name, help, samples }
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { type: 'gauge', name, help, samples }
}

/** Writes metrics with their help and type. A metric without samples is left out. */
export function writeExposition(metrics: readonly Metric[]): string {
  let text = ''
  for (const metric of metrics) {
    if (metric.samples.length === 0) continue
    const { name, type, help } = metric
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
    if (metric.type === 'histogram') {
      for (const [labels, histogram] of metric.samples) text += writeHistogram(name, labels, histogram, metric.scale)
    } else {
      for (const [labels, value] of metric.samples) text += line(name, labels, value)
    }
  }
  return text
}

function writeHistogram(name: string, labels: Labels, { bounds, counts, sum }: Histogram, scale: number): string {
  let text = ''
  let total = 0
  for (const [bucket, count] of counts.entries()) {
    const bound = bounds[bucket]
    total += count
    text += line(`${name}_bucket`, { ...labels, le: bound === undefined ? '+Inf' : bound * scale }, total)
  }
  return text + line(`${name}_sum`, labels, sum * scale) + line(`${name}_count`, labels, total)
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
