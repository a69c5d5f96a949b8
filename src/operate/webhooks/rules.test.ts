import { expect, test } from 'bun:test'
import { pairOf } from './rules.ts'

test('attempts of other accounts, and to other hosts, are counted separately; the port makes no difference', () => {
  const pairs = [
    [1, 'https://a.example/hook'],
    [1, 'https://a.example:8443/other'],
    [1, 'https://b.example/hook'],
    [2, 'https://a.example/hook'],
  ] as const
  expect(pairs.map(([accountId, url]) => pairOf({ accountId, url }))).toEqual([
    '1 a.example',
    '1 a.example',
    '1 b.example',
    '2 a.example',
  ])
})
