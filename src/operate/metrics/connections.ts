/** The metrics of the public listeners. */

import type { PublicConnections } from '../../server/front/front.ts'
import type { Metric } from './exposition.ts'

/** Empty while there are no public listeners. */
export function connectionMetrics(connections: PublicConnections | undefined): Metric[] {
  if (connections === undefined) return []
  const { open, http, https } = connections
  const listeners = [...(http ? [['http', http] as const] : []), ...(https ? [['https', https] as const] : [])]
  return [
    {
      type: 'gauge',
      name: 'petstore_public_connections',
      help: 'Open connections of the public listeners.',
      samples: [[{}, open]],
    },
    {
      type: 'counter',
      name: 'petstore_public_connections_total',
      help: 'Connections of the public listeners: accepted, and those closed early by the reason.',
      samples: listeners.flatMap(([listener, counts]) => [
        [{ listener, result: 'accepted' }, counts.accepted] as const,
        [{ listener, result: 'over_limit' }, counts.overLimit] as const,
        [{ listener, result: 'rejected' }, counts.rejected] as const,
        [{ listener, result: 'too_slow' }, counts.tooSlow] as const,
        [{ listener, result: 'unreachable' }, counts.unreachable] as const,
      ]),
    },
  ]
}
