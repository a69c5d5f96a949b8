/** The metrics of the public listeners. */

import { counter, gauge, type Metric } from './exposition.ts'

/** Connections of a public listener since the start, by their fate. */
export type ConnectionCounts = Readonly<
  Record<'accepted' | 'overLimit' | 'rejected' | 'tooSlow' | 'unreachable', number>
>

export interface PublicConnections {
  /** Open now, of all listeners. */
  readonly open: number
  readonly http: ConnectionCounts
  /** Undefined if a proxy ends TLS. */
  readonly https: ConnectionCounts | undefined
}

/** Empty while there are no public listeners. */
export function connectionMetrics(connections: PublicConnections | undefined): Metric[] {
  if (connections === undefined) return []
  const { open, http, https } = connections
  const listeners = [['http', http] as const, ...(https ? [['https', https] as const] : [])]
  return [
    gauge('petstore_public_connections', 'Open connections of the public listeners.', [[{}, open]]),
    counter(
      'petstore_public_connections_total',
      'Connections of the public listeners: accepted, and those closed early by the reason.',
      listeners.flatMap(([listener, counts]) => [
        [{ listener, result: 'accepted' }, counts.accepted] as const,
        [{ listener, result: 'over_limit' }, counts.overLimit] as const,
        [{ listener, result: 'rejected' }, counts.rejected] as const,
        [{ listener, result: 'too_slow' }, counts.tooSlow] as const,
        [{ listener, result: 'unreachable' }, counts.unreachable] as const,
      ]),
    ),
  ]
}
