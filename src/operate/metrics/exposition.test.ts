import { expect, test } from 'bun:test'
import { Histogram } from '../../lib/histogram.ts'
import { writeExposition } from './exposition.ts'

test('label values and help texts are escaped as the format requires', () => {
  const samples = [[{ path: 'a"b\\c\nd' }, 1]] as const
  const text = writeExposition([{ type: 'gauge', name: 'odd', help: 'Line\nand \\ back.', samples }])
  expect(text).toBe('# HELP odd Line\\nand \\\\ back.\n# TYPE odd gauge\nodd{path="a\\"b\\\\c\\nd"} 1\n')
})

test('the buckets of a histogram are cumulative, and a value on a bound belongs to it', () => {
  const histogram = new Histogram([1, 2, 4])
  for (const value of [0, 1, 1.5, 4, 100]) histogram.observe(value)
  const text = writeExposition([
    { type: 'histogram', name: 'size', help: 'Sizes.', scale: 1 / 1000, samples: [[{ kind: 'x' }, histogram]] },
  ])
  expect(text.split('\n').slice(2)).toEqual([
    'size_bucket{kind="x",le="0.001"} 2',
    'size_bucket{kind="x",le="0.002"} 3',
    'size_bucket{kind="x",le="0.004"} 4',
    'size_bucket{kind="x",le="+Inf"} 5',
    'size_sum{kind="x"} 0.1065',
    'size_count{kind="x"} 5',
    '',
  ])
})

test('a metric without samples is left out', () => {
  expect(writeExposition([{ type: 'counter', name: 'nothing', help: 'Nothing.', samples: [] }])).toBe('')
})
