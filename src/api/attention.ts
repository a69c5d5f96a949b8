/** Things that need the owner's attention. Features add sources; each source returns a few of its items. */

export interface AttentionItem {
  /** Such as `order_waiting`; later versions may add kinds. */
  readonly kind: string
  /** The id of the order, key or project; null if it concerns no record. */
  readonly id: number | null
  /** The name of the animal or key, or the host name. */
  readonly name: string | null
  /** Unix milliseconds since which it needs attention. */
  readonly sinceMs: number
  /** Unix milliseconds at which a key or certificate expires. */
  readonly expiresMs?: number | null
}

/** Returns at most `limit` items at `nowMs` (Unix milliseconds), in a few milliseconds. */
export type AttentionSource = (nowMs: number, limit: number) => readonly AttentionItem[]

export interface Attention {
  /** Adds a source, such as the domains whose certificate could not be renewed. */
  add(source: AttentionSource): void
  /** The items of all sources, those that have waited longest first. */
  items(nowMs: number): readonly AttentionItem[]
}
