/** Many changes for a mirror to follow. */

import { test } from 'bun:test'
import { expectMirror } from './testing/mirror.ts'

test('a mirror that follows the feed for 10,000 changes equals the store', () => expectMirror(11, 10_000))
