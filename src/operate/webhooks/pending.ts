/** Counts the events that are still to be delivered. */

import type { EventLog } from '../../access/events/log.ts'
import type { EventFilter } from '../../access/events/rules.ts'

/** The number of events after `id` that `filter` selects, up to `most`. */
export function countAfter(
  { readAfter }: Pick<EventLog, 'readAfter'>,
  id: number,
  filter: EventFilter,
  most: number,
): number {
  let count = 0
  for (let after: number | undefined = id; after !== undefined && count < most; ) {
    const { records, searchedTo } = readAfter(after, filter, most - count)
    count += records.length
    after = searchedTo
  }
  return count
}
