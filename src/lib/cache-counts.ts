/** Counts of the look-ups in a cache. */

export interface CacheCounts {
  hits: number
  misses: number
}

export const noLookUps = (): CacheCounts => ({ hits: 0, misses: 0 })
