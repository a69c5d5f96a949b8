import { test } from 'bun:test'
import { expectMirror } from './testing/mirror.ts'

test.each([1, 2, 3])('a mirror that follows the feed equals the store, whatever changes (seed %d)', (seed) =>
  expectMirror(seed, 300),
)
